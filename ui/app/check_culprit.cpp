#include "ui/app/check_culprit.hpp"

#include <string_view>

#include "engine/base/design_values.hpp"

namespace stallcast::client {
std::optional<Culprit> culprit_of(const Design& design, const std::string& resource,
                                  const std::vector<plan::Proposal>& changes) {
  const auto [role, id, below] = base::resource_name(resource);
  const std::string stem = base::component_path(role, id) + ".";
  const std::string part(below.substr(0, below.find('.')));
  std::optional<Culprit> changed, of_part, of_component;
  for (const auto& [path, value] : base::values_of(design)) {
    using Kind = Source::Kind;
    if (!path.starts_with(stem) ||
        (value->source.kind != Kind::scenario && value->source.kind != Kind::expression))
      continue;
    const Culprit here{path, base::position_of(value->source.where)};
    if (here.at.line == 0) continue;
    for (const plan::Proposal& proposal : changes)
      if (!changed && proposal.change.path == path) changed = here;
    const std::string rest = path.substr(stem.size());
    if (!of_part && !part.empty() && (rest == part || rest.starts_with(part + "."))) of_part = here;
    if (!of_component) of_component = here;
  }
  return changed ? changed : of_part ? of_part : of_component;
}

}  // namespace stallcast::client
