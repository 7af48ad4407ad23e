#include "ui/app/check_culprit.hpp"

#include <string_view>

#include "engine/base/design_values.hpp"

namespace stallcast::client {
namespace {

/// "storage.scratch.ost.read" -> path "storage[scratch]", part "ost".
struct Place {
  std::string component;
  std::string part;
};

Place place_of(const std::string& resource) {
  const std::size_t first = resource.find('.');
  const std::string role = resource.substr(0, first);
  const std::string rest = first == std::string::npos ? "" : resource.substr(first + 1);
  if (role == "fabric") return {"cluster.fabric", ""};
  const std::size_t second = rest.find('.');
  const std::string id = rest.substr(0, second);
  const std::string below = second == std::string::npos ? "" : rest.substr(second + 1);
  const char* list = role == "host"      ? "cluster.hosts["
                     : role == "storage" ? "storage["
                     : role == "job"     ? "jobs["
                                         : nullptr;
  if (list == nullptr) return {};
  return {list + id + "]", below.substr(0, below.find('.'))};
}

}  // namespace

std::optional<Culprit> culprit_of(const Design& design, const std::string& resource,
                                  const std::vector<plan::Proposal>& changes) {
  const Place place = place_of(resource);
  if (place.component.empty()) return std::nullopt;
  const std::string stem = place.component + ".";
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
    if (!of_part && !place.part.empty() &&
        (rest == place.part || rest.starts_with(place.part + ".")))
      of_part = here;
    if (!of_component) of_component = here;
  }
  return changed ? changed : of_part ? of_part : of_component;
}

}  // namespace stallcast::client
