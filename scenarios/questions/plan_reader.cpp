#include "scenarios/questions/plan_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "scenarios/resolve/ranges.hpp"

namespace stallcast::scenarios {
namespace {

using base::FieldInfo;
using base::kOptional;

constexpr std::array kFields = {
    FieldInfo{"minimize",
              Dimension::text,
              kOptional,
              "what the best design has the least of: something searched, an input, or a metric; "
              "without it what is searched, where that is one thing",
              {}},
    FieldInfo{"maximize",
              Dimension::text,
              kOptional,
              "what it has the most of: \"accelerators\" asks how many hosts the rest supports",
              {}},
    FieldInfo{
        "survive",
        Dimension::text_list,
        kOptional,
        "parts of which one may be down while the targets hold: oss, ost, mdt, server, drive, "
        "..., with the storage system and who takes over where it matters: "
        "\"oss:scratch:spread\"",
        {}},
    FieldInfo{"checks", Dimension::count, "8",
              "designs simulated although a larger one misses: they test that more always helps",
              base::up_to(1e6, base::assumed(base::kNonNegative))},
    FieldInfo{"replicas", Dimension::count, "24",
              "most replicas of a design where the interval of a target straddles its limit",
              base::up_to(1e4, base::assumed(base::kAtLeastOne))},
    FieldInfo{
        "tornado", Dimension::count, "4",
        "assumed inputs shown of those varied at the answer, what moves a target most; 0: none",
        base::up_to(1e4, base::assumed(base::kNonNegative))},
    FieldInfo{"spread", Dimension::ratio, kOptional,
              "by how much they are varied, both ways; without it each as far as its range goes, "
              "and by 20 % what has none",
              base::kPositiveShare},
    FieldInfo{"confidence", Dimension::ratio, kOptional,
              "in how many of the draws of uncertain inputs the targets are to hold, beside the "
              "design as it is",
              base::kPositiveShare},
    FieldInfo{"draws", Dimension::count, kOptional,
              "draws of uncertain inputs for it; without it as many as suit the design",
              base::up_to(1e5)}};

constexpr std::string_view kUnit[] = {"unit"};

/// What a parameter says of itself: what it is, and where it does, from where to where.
void take_range(PlanDimension& dimension, std::span<const Parameter> params) {
  for (const Parameter& p : params)
    if ("params." + p.name == dimension.axis.path) dimension.present = Amount{p.value, p.unit};
  if (!dimension.axis.values.empty() || dimension.axis.range) return;
  for (const Parameter& p : params) {
    if ("params." + p.name != dimension.axis.path || !p.minimum || !p.maximum) continue;
    SweepRange& range = dimension.axis.range.emplace();
    range.from = *p.minimum;
    range.to = *p.maximum;
    range.step = p.step.value_or(0.0);
    range.unit = p.unit;
    range.exact[0] = Amount{range.from, p.unit};
    range.exact[1] = Amount{range.to, p.unit};
  }
}

void add(PlanDimension dimension, PlanSpec& spec) {
  const auto same = std::find_if(spec.over.begin(), spec.over.end(), [&](const PlanDimension& d) {
    return d.axis.path == dimension.axis.path;
  });
  if (same != spec.over.end())
    *same = std::move(dimension);
  else
    spec.over.push_back(std::move(dimension));
}

class PlanReader {
 public:
  PlanReader(ReadContext& context, std::span<const Parameter> params)
      : context_(context), params_(params) {}

  PlanSpec read() {
    const Json* plan = find(context_.tree.root, "/plan");
    if (plan == nullptr || plan->is_null()) return {};
    if (!plan->is_object()) {
      report().error("type", "/plan", "\"plan\" is an object, not " + std::string(type_name(*plan)),
                     "write { \"over\": { \"osts\": {} } }");
      return {};
    }
    std::vector<std::string_view> keys{"over"};
    for (const FieldInfo& field : kFields) keys.push_back(field.key);
    check_keys(*plan, "/plan", keys, "\"plan\"", report());
    for (const FieldInfo& field : kFields) read_field(field, *plan);
    if (const auto over = plan->find("over"); over != plan->end() && !over->is_null())
      read_over(*over);
    return std::move(spec_);
  }

 private:
  Reporter& report() { return context_.report; }

  void read_field(const FieldInfo& field, const Json& plan) {
    const auto node = plan.find(std::string(field.key));
    if (node == plan.end() || node->is_null()) return;
    const std::string at = "/plan/" + std::string(field.key);
    if (field.key == "survive" && node->is_string()) {
      spec_.survive = {node->get<std::string>()};
      return;
    }
    warn_deprecated(field, at, report());
    const std::optional<Value> value = read_value(context_, field, at, *node);
    if (!value) return;
    if (field.key == "minimize") spec_.minimize = value->text;
    if (field.key == "maximize") spec_.maximize = value->text;
    if (field.key == "survive") spec_.survive = value->list;
    if (field.key == "checks") spec_.checks = static_cast<std::int64_t>(value->number);
    if (field.key == "replicas") spec_.replicas = static_cast<std::int64_t>(value->number);
    if (field.key == "tornado") spec_.tornado = static_cast<std::int64_t>(value->number);
    if (field.key == "spread") spec_.spread = value->number;
    if (field.key == "confidence") spec_.confidence = value->number;
    if (field.key == "draws") spec_.draws = static_cast<std::int64_t>(value->number);
  }

  void read_over(const Json& over) {
    if (over.is_string()) return name("/plan/over", over);
    if (over.is_array()) {
      for (std::size_t i = 0; i < over.size(); ++i)
        name("/plan/over" + base::pointer_token(i), over[i]);
      return;
    }
    if (!over.is_object()) {
      report().error("type", "/plan/over", "\"over\" is an object of what is searched",
                     "write { \"osts\": {}, \"workers\": [4, 8, 16] }");
      return;
    }
    for (const auto& [path, values] : over.items())
      if (!path.starts_with("x-") && !values.is_null())
        read_dimension("/plan/over" + base::pointer_token(path), path, values);
  }

  void name(const std::string& at, const Json& node) {
    if (node.is_object()) {
      report().error("type", at, "a list has names only; ranges are in one object",
                     "write it without the list: \"over\": " + node.dump());
      return;
    }
    if (!node.is_string()) {
      report().error("type", at, "a name is a text, not " + std::string(type_name(node)),
                     "write \"osts\", or { \"osts\": { \"from\": 8, \"to\": 64 } }");
      return;
    }
    read_dimension(at, node.get<std::string>(), Json::object());
  }

  void read_dimension(const std::string& at, const std::string& path, const Json& values) {
    PlanDimension dimension;
    const bool open = values.is_object() && !values.contains("from") && !values.contains("to");
    if (open) {
      check_keys(values, at, kUnit, "the range of \"" + path + "\"", report());
      dimension.axis.path = parameter_path(path, params_);
      dimension.axis.pointer = at;
      dimension.axis.position = report().place(at);
    } else {
      std::optional<SweepAxis> axis = read_axis(params_, report(), at, path, values, kUnit);
      if (!axis) return;
      dimension.axis = *std::move(axis);
    }
    if (values.is_object())
      if (const auto unit = values.find("unit"); unit != values.end() && !unit->is_null()) {
        if (!unit->is_number_integer() || unit->get<std::int64_t>() < 1) {
          report().error("type", at + "/unit", "\"unit\" is a whole number of at least 1",
                         "counts come in multiples of it: 2 for HA pairs");
          return;
        }
        dimension.unit = unit->get<std::int64_t>();
      }
    take_range(dimension, params_);
    add(std::move(dimension), spec_);
  }

  ReadContext& context_;
  std::span<const Parameter> params_;
  PlanSpec spec_;
};

}  // namespace

std::span<const FieldInfo> plan_fields() { return kFields; }

std::string parameter_path(const std::string& path, std::span<const Parameter> params) {
  for (const Parameter& p : params)
    if (p.name == path) return "params." + path;
  return path;
}

PlanSpec read_plan(ReadContext& context, std::span<const Parameter> params) {
  return PlanReader(context, params).read();
}

std::map<std::string, PlanDimension> ranged_values(const Tree& tree, const Design& design,
                                                   std::span<const Parameter> params) {
  std::map<std::string, PlanDimension> out;
  if (std::none_of(params.begin(), params.end(),
                   [](const Parameter& p) { return p.minimum && p.maximum; }))
    return out;
  const auto visit = [&](const std::string& path, std::string_view, const Component& component) {
    for (const auto& [key, value] : component.values) {
      const Json* node = find(tree.root, base::pointer_of(component, key));
      if (node == nullptr) continue;
      const Json& nominal = nominal_of(*node);
      if (!is_expression(nominal)) continue;
      PlanDimension dimension;
      dimension.axis.path =
          "params." + std::string(base::trim(
                          std::string_view(nominal.get_ref<const std::string&>()).substr(1)));
      take_range(dimension, params);
      if (dimension.axis.range) out.emplace(path + "." + key, std::move(dimension));
    }
  };
  base::for_each_component(design, visit);
  return out;
}

void add_over(const std::string& option, std::span<const Parameter> params, PlanSpec& spec,
              Diagnostics& diags) {
  PlanDimension dimension;
  if (option.find('=') == std::string::npos) {
    dimension.axis.path = base::trim(option);
    dimension.axis.position = {"--over " + option, 0, 0};
  } else {
    std::optional<SweepAxis> axis = axis_of(option, "--over", diags);
    if (!axis) return;
    dimension.axis = *std::move(axis);
  }
  dimension.axis.path = parameter_path(dimension.axis.path, params);
  take_range(dimension, params);
  add(std::move(dimension), spec);
}

void add_unit(const std::string& option, std::span<const Parameter> params, PlanSpec& spec,
              Diagnostics& diags) {
  const auto fault = [&](std::string message, std::string hint) {
    diags.add({Severity::error,
               "unit",
               "",
               {"--unit " + option, 0, 0},
               std::move(message),
               std::move(hint)});
  };
  const std::size_t equals = option.find('=');
  std::int64_t unit = 0;
  const char* const end = option.data() + option.size();
  const bool whole = equals != std::string::npos &&
                     std::from_chars(option.data() + equals + 1, end, unit).ptr == end;
  if (!whole || unit < 1)
    return fault("\"" + option + "\" is not name=count", "write --unit osts=2");
  const std::string path = parameter_path(option.substr(0, equals), params);
  for (PlanDimension& dimension : spec.over)
    if (dimension.axis.path == path) {
      dimension.unit = unit;
      return;
    }
  PlanDimension dimension;
  dimension.axis.path = path;
  dimension.unit = unit;
  take_range(dimension, params);
  spec.over.push_back(std::move(dimension));
}

}  // namespace stallcast::scenarios
