#include "ui/app/check_culprit.hpp"

#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/decide/plan/advice.hpp"

namespace stallcast::client {
std::optional<Culprit> culprit_of(const Design& design, const Prediction& prediction,
                                  const std::string& resource) {
  const auto [role, id, part] = base::resource_name(resource);
  const std::string component = base::component_path(role, id) + ".";
  const std::string stem = component + std::string(part.substr(0, part.find('.')));
  const std::optional<plan::Proposal> more = plan::doubled(design, prediction, resource);
  std::optional<Culprit> of_part, elsewhere;
  for (const auto& [path, value] : base::values_of(design)) {
    using Kind = Source::Kind;
    if (value->source.kind != Kind::scenario && value->source.kind != Kind::expression) continue;
    const Culprit here{path, base::position_of(value->source.where)};
    if (here.at.line == 0) continue;
    if (more && more->change.path == path) {
      if (path.starts_with(component)) return here;
      elsewhere = here;
    }
    const bool same =
        part.empty() ? path.starts_with(component) : path == stem || path.starts_with(stem + ".");
    if (!of_part && same) of_part = here;
  }
  return of_part ? of_part : elsewhere;
}

}  // namespace stallcast::client
