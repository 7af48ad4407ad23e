#include "engine/decide/uncertain/inputs.hpp"

#include <algorithm>
#include <map>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::uncertain {
namespace {

/// The same for values that are one thing: a figure of one kind that may be the same in truth, and
/// all ceilings of one sort that are stated of one product. What a scenario states of two parts of
/// a design is two things, however alike; a parameter that both use is one.
std::string identity(const models::RoleInfo& role, const Component& component,
                     const std::string& path, const std::string& key, const Value& value) {
  const Range& range = *value.range;
  if (is_stated(value) && value.source.kind != Source::Kind::expression) return path + " " + key;
  std::string out = std::string(role.id) + " " + component.kind + " " + range.why;
  if (!component.product.empty() && value.number > 0.0 && value.number == range.high)
    return out + " " + component.product + " " + base::significant(range.low / range.high, 6);
  out += " " + key;
  for (const double number : {value.number, range.low, range.high})
    out += " " + base::shortest(number);
  return out;
}

Prior prior_in(const models::RoleInfo& role, const Component& component, const std::string& key,
               const Value& value) {
  const base::FieldInfo* field = models::find_field(role.role, component, key);
  const base::FieldLimits limits = field == nullptr ? base::FieldLimits{} : field->limits;
  return prior_of(value, limits.minimum, limits.maximum);
}

std::string how_to_measure(const models::RoleInfo& role, std::string_view key) {
  for (const models::MeasuredBy& measure : role.measures)
    if (key.starts_with(measure.field)) return std::string(measure.with);
  return "";
}

}  // namespace

std::vector<Input> inputs_of(const Design& design) {
  std::vector<Input> out;
  std::map<std::string, std::size_t> known;
  std::size_t number = 0;
  base::for_each_component(
      design, [&](const std::string& path, std::string_view role_id, const Component& component) {
        const std::size_t at = number++;
        const models::RoleInfo* role = models::find_role(role_id);
        if (role == nullptr) return;
        for (const auto& [key, value] : component.values) {
          if (!value.range || value.source.kind == Source::Kind::profile) continue;
          const ValuePlace place{at, key, prior_in(*role, component, key, value)};
          const auto [same, added] =
              known.try_emplace(identity(*role, component, path, key, value), out.size());
          if (!added) {
            ++out[same->second].said.places;
            out[same->second].places.push_back(place);
            continue;
          }
          UncertainInput said{.path = path + "." + key,
                              .dimension = value.dimension,
                              .nominal = value.number,
                              .range = *value.range,
                              .from = value.source.kind,
                              .measure_with = how_to_measure(*role, key)};
          out.push_back({std::move(said), {place}});
        }
      });
  return out;
}

std::size_t fitted_count(const Design& design) {
  std::size_t out = 0;
  base::for_each_component(design,
                           [&](const std::string&, std::string_view, const Component& component) {
                             for (const auto& [key, value] : component.values)
                               if (value.range && value.source.kind == Source::Kind::profile) ++out;
                           });
  return out;
}

Design drawn(const Design& design, std::span<const Input> inputs, std::span<const double> point) {
  Design out = design;
  std::vector<Component*> components;
  base::for_each_component(out, [&](const std::string&, std::string_view, Component& component) {
    components.push_back(&component);
  });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const ValuePlace& place : inputs[i].places)
      components[place.component]->values.find(place.key)->second.number =
          quantile(place.prior, point[i]);
  return out;
}

Design moved(const Design& design, const std::vector<Input>& inputs,
             const std::vector<double>& point) {
  std::vector<Input> some;
  std::vector<double> there;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (point[i] != kAsStated) {
      some.push_back(inputs[i]);
      there.push_back(point[i]);
    }
  return drawn(design, some, there);
}

}  // namespace stallcast::uncertain
