#include "ui/app/values.hpp"

#include <map>
#include <optional>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/registry.hpp"
#include "scenarios/document/overrides.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/scenario_builder.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::client {
namespace {

using base::Json;

/// Optional values that were left out, as null.
void add_left_out(const Design& design, Json& tree) {
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        const models::RoleInfo* info = models::find_role(role);
        const models::KindInfo* kind =
            info == nullptr ? nullptr : models::find_kind(info->role, component.kind);
        if (kind == nullptr) return;
        for (const base::FieldInfo* field : models::fields_of(*kind)) {
          const std::string at = base::pointer_of(component, field->key);
          const Json* above = scenarios::find(tree, scenarios::parent(at));
          if (component.find(field->key) != nullptr || scenarios::find(tree, at) != nullptr)
            continue;
          if (above == nullptr || above->is_object() || above->is_null())
            tree[Json::json_pointer(at)] = nullptr;
        }
      });
}

/// Whole parts of jobs that were left out, as null.
void add_left_out_parts(const Design& design, Json& tree) {
  for (std::size_t i = 0; i < design.jobs.size(); ++i) {
    const JobDesign& job = design.jobs[i];
    const auto none = [&](const char* part, const std::optional<Component>& given) {
      if (Json& of = tree["jobs"][i]; !given && !of.contains(part)) of[part] = nullptr;
    };
    none("dataset", job.dataset);
    none("loader", job.loader);
    none("checkpoint", job.checkpoint);
    none("communication", job.communication);
    none("recovery", job.recovery);
    none("elastic", job.elastic);
  }
}

/// The design as JSON, with its parameters.
Json tree_of(const Scenario& scenario) {
  Json out = scenarios::resolved_json(scenario.design());
  add_left_out(scenario.design(), out);
  add_left_out_parts(scenario.design(), out);
  for (const Parameter& p : scenario.parameters()) {
    const auto number = base::parse_number(p.text);
    out["params"][p.name] = number ? scenarios::number_node(*number) : Json(p.text);
  }
  return out;
}

/// Values of components and parameters by their pointers.
class Origins {
 public:
  explicit Origins(const Scenario& scenario) {
    base::for_each_component(scenario.design(),
                             [this](const std::string&, std::string_view, const Component& of) {
                               for (const auto& [key, value] : of.values)
                                 values_.emplace(base::pointer_of(of, key), &value);
                             });
    for (const Parameter& p : scenario.parameters())
      parameters_.emplace("/params" + base::pointer_token(p.name), &p);
  }

  /// `node`, which stands at `pointer`, and what is known of it.
  [[nodiscard]] Json describe(const Json& node, const std::string& pointer) const {
    const auto it = values_.find(pointer);
    Json out = {{"value", plain(node, it != values_.end())}, {"pointer", pointer}};
    if (it != values_.end()) add(*it->second, out);
    if (const auto p = parameters_.find(pointer); p != parameters_.end()) {
      out.update({{"number", p->second->value}, {"source", p->second->where}});
      add_unit(*p->second, out);
    }
    return out;
  }

 private:
  /// Without the ends of its range.
  static Json plain(const Json& node, bool is_value) {
    return is_value && node.is_object() && node.contains("value") ? node["value"] : node;
  }

  /// What has a unit is told in the base unit, as other values are.
  static void add_unit(const Parameter& of, Json& out) {
    for (std::size_t d = 0; !of.unit.empty() && d < base::kDimensionIds.size(); ++d) {
      const auto dimension = static_cast<Dimension>(d);
      if (!base::unit_of_text(of.text, dimension)) continue;
      out["number"] = base::in_unit_of_text(of.value, of.text, dimension);
      out["unit"] = metric::unit_of(dimension);
      return;
    }
  }

  static void add(const Value& value, Json& out) {
    if (const std::string_view unit = metric::unit_of(value.dimension); !unit.empty())
      out.update({{"number", value.number}, {"unit", unit}});
    if (value.range) {
      out["ci90"] = Json::array({value.range->low, value.range->high});
      out["why"] = value.range->why;
    }
    out["source"] = scenarios::source_text(value.source);
    out["assumption"] = value.source.assumption;
  }

  std::map<std::string, const Value*> values_;
  std::map<std::string, const Parameter*> parameters_;
};

}  // namespace

Result<std::vector<FoundValue>> values(const Scenario& scenario,
                                       std::span<const std::string> paths) {
  const Json tree = tree_of(scenario);
  const Origins origins(scenario);
  std::vector<FoundValue> out;
  for (const std::string& path : paths) {
    const Result<std::string> pointer = scenarios::pointer_of(tree, path);
    if (!pointer.ok()) return pointer.failure();
    const Json found = origins.describe(*scenarios::find(tree, *pointer), *pointer);
    const Json& value = found["value"];
    out.push_back({path, value.is_string() ? value.get<std::string>() : base::one_line(value),
                   found.dump(2)});
  }
  return out;
}

std::string values_json(std::span<const FoundValue> values) {
  Json out = {{"schema", "stallcast.values/1"}, {"values", Json::object()}};
  for (const FoundValue& value : values) out["values"][value.path] = Json::parse(value.json);
  return out.dump(2) + "\n";
}

std::string merged(const Scenario& scenario) {
  return ScenarioBuilder::merged(scenario).dump(2) + "\n";
}

}  // namespace stallcast::client
