#include "ui/app/check_culprit.hpp"

#include <string_view>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/decide/plan/advice.hpp"
#include "stallcast/label.hpp"

namespace stallcast::client {
namespace {

/// Of inputs that a file gives; line 0 of all others.
Position place_of(const Value& value) {
  using Kind = Source::Kind;
  const bool said = value.source.kind == Kind::scenario || value.source.kind == Kind::expression;
  return said ? base::position_of(value.source.where) : Position{};
}

/// The input of a resource that is one.
std::optional<Culprit> culprit_of_one(const Design& design, const Prediction& prediction,
                                      const std::string& resource) {
  const auto [role, id, part] = base::resource_name(resource);
  const std::string component = base::component_path(role, id) + ".";
  const std::string stem = component + std::string(part.substr(0, part.find('.')));
  const std::optional<plan::Proposal> more = plan::doubled(design, prediction, resource);
  std::optional<Culprit> of_part, elsewhere;
  for (const auto& [path, value] : base::values_of(design)) {
    const Culprit here{path, place_of(*value)};
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

}  // namespace

std::optional<Culprit> place_of_change(const Design& design, const std::string& set) {
  const std::string path = set.substr(0, set.find('='));
  const auto values = base::values_of(design);
  for (const auto& [at, value] : values)
    if (at == path && place_of(*value).line > 0) return Culprit{path, place_of(*value)};
  for (std::size_t dot = path.rfind('.'); dot != path.npos && dot > path.find(']');
       dot = dot > 0 ? path.rfind('.', dot - 1) : path.npos) {
    std::optional<Culprit> first;
    for (const auto& [at, value] : values) {
      const Position here = place_of(*value);
      if (here.line == 0 || !at.starts_with(path.substr(0, dot + 1))) continue;
      if (!first || std::pair(here.line, here.column) < std::pair(first->at.line, first->at.column))
        first = Culprit{path, here};
    }
    if (first) return first;
  }
  return std::nullopt;
}

std::optional<Culprit> culprit_of(const Design& design, const Prediction& prediction,
                                  const std::string& resource) {
  for (const std::string& one : label::each_of(resource))
    if (const auto found = culprit_of_one(design, prediction, one)) return found;
  return std::nullopt;
}

}  // namespace stallcast::client
