#include "engine/decide/plan/objective.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/plan/countables.hpp"
#include "models/bounds/cost.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

std::string list_of(const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.about.name);
  return base::join(names, ", ");
}

Objective of_axis(std::size_t a, const Axis& axis) {
  Objective out;
  out.about.name = axis.about.name;
  out.about.unit = axis.about.metric.empty() ? metric::unit_of(axis.dimension) : "count";
  out.of_cell = [a, numbers = axis.numbers](const Cell& cell) { return numbers[cell[a]]; };
  return out;
}

/// What a design costs follows from its prices alone: to buy, or by the hour.
Objective of_prices(std::string_view metric, Designs& designs) {
  Objective out;
  out.about.name = metric;
  out.about.unit = metric::find(metric)->unit;
  const bool hourly = metric == metric::kHourlyCost;
  out.of_cell = [&designs, hourly](const Cell& cell) {
    const Result<Design>& made = designs.at(cell);
    if (!made.ok()) return 0.0;
    const models::Costs costs = models::costs(*made);
    return hourly ? costs.per_time().in(unit::USD_per_h) : costs.capex().in(unit::USD);
  };
  return out;
}

/// The cost that a plan has the least of unless it is told otherwise: what is rented has no price
/// to buy it. "" without prices.
std::string_view usual_cost(const Design& design) {
  const models::Costs costs = models::costs(design);
  return costs.rents() ? metric::kHourlyCost : costs.buys() ? metric::kCapex : "";
}

Failure unknown(const std::string& name, const std::vector<std::string>& metrics,
                const std::vector<Axis>& axes) {
  const std::string near = base::nearest(name, metrics);
  return {ExitCode::bad_input, "\"" + name + "\" is neither searched nor an input or a metric",
          near.empty() ? "searched: " + list_of(axes) : "did you mean \"" + near + "\"?"};
}

/// The scenario as it is says which metrics there are; it may lack one that others have, or may not
/// survive what they do.
Result<Objective> of_metric(const std::string& name, Designs& designs) {
  const std::vector<std::vector<Change>> as_it_is(1);
  const Result<Prediction> base = std::move(designs.predict(as_it_is).front());
  const metric::Figure* row = metric::find(name);
  if (!base.ok() && (row == nullptr || base.failure().exit != ExitCode::bad_input))
    return base.failure();
  const bool there = base.ok() && base->metrics.contains(name);
  if (!there && row == nullptr) {
    std::vector<std::string> known;
    for (const auto& [metric, value] : base->metrics) known.push_back(metric);
    return unknown(name, known, designs.axes());
  }
  Objective out;
  out.about.name = name;
  out.about.unit = there ? base->metrics.at(name).unit : row->unit;
  out.of_prediction = [name](const Prediction& prediction) -> Result<double> {
    const auto figure = prediction.metrics.find(name);
    if (figure != prediction.metrics.end()) return figure->second.value;
    return Failure{ExitCode::bad_input, "no metric is named \"" + name + "\"",
                   predict::metric_hint(name, prediction)};
  };
  return out;
}

std::string path_of(const std::string& name, const Design& design) {
  const Result<std::optional<std::string>> shortcut = shortcut_path(name, design);
  return shortcut.ok() && *shortcut ? **shortcut : name;
}

std::optional<std::size_t> axis_named(const std::string& name, const Design& design,
                                      const std::vector<Axis>& axes) {
  const std::string path = path_of(name, design);
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (same_path(axes[a].about.path, path) || axes[a].about.name == name ||
        same_path(axes[a].about.path, "params." + name))
      return a;
  return std::nullopt;
}

struct NamedInput {
  std::string path;
  const Value* value;
};
std::optional<NamedInput> input_named(const std::string& name, const Design& design) {
  const std::string path = path_of(name, design);
  for (const auto& [known, value] : base::values_of(design))
    if (same_path(known, path)) return NamedInput{known, value};
  return std::nullopt;
}

bool follows_from_prices(const std::string& name, const Design& design) {
  const models::Costs costs = models::costs(design);
  return (name == metric::kCapex && costs.buys()) || (name == metric::kHourlyCost && costs.known());
}

Result<Objective> named(const std::string& name, const Design& design, Designs& designs) {
  const std::vector<Axis>& axes = designs.axes();
  if (const auto axis = axis_named(name, design, axes)) return of_axis(*axis, axes[*axis]);
  if (const auto input = input_named(name, design)) {
    Objective out;
    out.about.name = base::plain_path(input->path);
    out.about.unit = metric::unit_of(input->value->dimension);
    out.of_cell = [&designs, path = input->path](const Cell& cell) {
      const Result<Design>& made = designs.at(cell);
      if (made.ok())
        for (const auto& [each, number] : base::values_of(*made))
          if (each == path) return number->number;
      return 0.0;
    };
    return out;
  }
  return follows_from_prices(name, design) ? of_prices(name, designs) : of_metric(name, designs);
}

/// Not an input of the design, nor a count that has a short name.
bool is_metric(const std::string& name, const Design& design) {
  return metric::parse(name).domain != metric::Domain::other && !input_named(name, design);
}

}  // namespace

std::optional<Failure> refused_metric(const PlanSpec& spec, const Design& design) {
  const bool maximize = !spec.maximize.empty();
  const std::string& name = maximize ? spec.maximize : spec.minimize;
  if (name.empty() || !is_metric(name, design)) return std::nullopt;
  const std::string other = maximize ? "minimize" : "maximize";
  if (metric::better(name) == (maximize ? metric::Better::lower : metric::Better::higher))
    return Failure{ExitCode::bad_input,
                   "\"" + name + "\" is better the " + (maximize ? "lower" : "higher") +
                       " it is: it cannot be " + (maximize ? "maximized" : "minimized"),
                   "write --" + other + " " + name + ", or \"" + other + "\" in \"plan\""};
  if (maximize && spec.over.empty())
    return Failure{ExitCode::bad_input, "what to search for the most of \"" + name + "\"?",
                   "name it: --over osts=8..32, or \"over\" in \"plan\""};
  return std::nullopt;
}

std::optional<Failure> refused_accelerators(const PlanSpec& spec, const Design& design) {
  std::vector<std::string> asked = {spec.maximize, spec.minimize};
  for (const PlanDimension& one : spec.over) asked.push_back(one.axis.path);
  const auto positive = [](const Component& component, std::string_view field) {
    const Value* value = component.find(field);
    return value != nullptr && value->number > 0.0;
  };
  const auto on = [&](const Component& user, const Component& host) {
    const Value* hosts = user.find("hosts");
    return hosts == nullptr ? design.hosts.size() == 1 : hosts->text == host.id;
  };
  const auto computes = [&](const Component& host) {
    return positive(host, "gpus") &&
           (std::any_of(design.jobs.begin(), design.jobs.end(),
                        [&](const JobDesign& job) { return on(job.job, host); }) ||
            std::any_of(design.tenants.begin(), design.tenants.end(), [&](const Component& tenant) {
              return positive(tenant, "gpus") && on(tenant, host);  // it serves a model
            }));
  };
  for (const std::string& name : asked) {
    const std::size_t colon = name.find(':');
    if (name.substr(0, colon) != "accelerators") continue;
    const std::string id = colon == std::string::npos ? "" : name.substr(colon + 1);
    std::vector<std::string> without;
    bool any = false;
    for (const Component& host : design.hosts) {
      if (!id.empty() && host.id != id) continue;
      any = any || computes(host);
      without.push_back("\"" + host.id + "\"");
    }
    if (any || without.empty()) continue;
    return Failure{ExitCode::bad_input,
                   "\"" + name + "\" is nothing to search for: no job computes on the GPUs of " +
                       base::join(without, ", ") + ", and no model is served there",
                   "\"hosts\" asks how many hosts the rest supports"};
  }
  return std::nullopt;
}

std::optional<std::string> metric_asked(const PlanSpec& spec, const Design& design,
                                        const std::vector<Axis>& axes) {
  const std::string& name = spec.minimize.empty() ? spec.maximize : spec.minimize;
  if (name.empty() || axis_named(name, design, axes) || input_named(name, design) ||
      follows_from_prices(name, design))
    return std::nullopt;
  return name;
}

std::optional<Failure> refused_objective(const PlanSpec& spec, const Design& design,
                                         const std::vector<Axis>& axes) {
  if (!spec.minimize.empty() && !spec.maximize.empty())
    return Failure{ExitCode::bad_input, "a plan either minimizes or maximizes",
                   "leave out \"minimize\" or \"maximize\""};
  if (spec.minimize.empty() && spec.maximize.empty()) {
    if (axes.size() == 1 || !usual_cost(design).empty()) return std::nullopt;
    return Failure{ExitCode::bad_input, "a plan of several things needs something to minimize",
                   "name one of " + list_of(axes) + ", an input or a metric: \"minimize\": \"" +
                       axes.front().about.name + "\", or --minimize " +
                       base::shell_word(axes.front().about.name)};
  }
  const std::optional<std::string> metric = metric_asked(spec, design, axes);
  if (!metric) return std::nullopt;
  if (metric->find('*') != std::string::npos)
    return Failure{ExitCode::bad_input, "\"" + *metric + "\" stands for several metrics",
                   "name one, such as \"job.train.step.time\""};
  if (metric::parse(*metric).domain != metric::Domain::other) return std::nullopt;
  std::vector<std::string> known = {metric::kCapex, metric::kHourlyCost};
  for (const Axis& axis : axes) known.push_back(axis.about.name);
  for (const auto& [path, value] : base::values_of(design)) known.push_back(base::plain_path(path));
  return unknown(*metric, known, axes);
}

Result<Objective> make_objective(const PlanSpec& spec, const Design& design, Designs& designs) {
  const std::vector<Axis>& axes = designs.axes();
  if (const std::optional<Failure> refused = refused_objective(spec, design, axes)) return *refused;
  if (spec.minimize.empty() && spec.maximize.empty())
    return axes.size() == 1 ? of_axis(0, axes.front()) : of_prices(usual_cost(design), designs);
  Result<Objective> out =
      named(spec.minimize.empty() ? spec.maximize : spec.minimize, design, designs);
  if (out.ok()) out->about.maximize = !spec.maximize.empty();
  return out;
}

}  // namespace stallcast::plan
