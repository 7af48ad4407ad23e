#include "engine/decide/predict/estimate.hpp"

#include <algorithm>
#include <map>

#include "engine/decide/predict/predict.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "models/bounds/bounds.hpp"
#include "models/bounds/cost.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/bounds/power.hpp"
#include "models/bounds/space.hpp"
#include "models/bounds/whole_run.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {
namespace {

/// What a metric lies between for sure.
struct Bound {
  double least = 0.0;
  double most = 0.0;
};
using ProvenBounds = std::map<std::string, Bound>;  // by metric

/// What bounds prove of an assertion.
std::string status_of(const base::Assertion& assertion, double limit, const ProvenBounds& bounds) {
  const auto bound = bounds.find(assertion.metric);
  if (bound == bounds.end()) return "inconclusive";
  const auto [least, most] = bound->second;
  const auto proven = [](bool holds, bool fails) {
    return holds ? "pass" : fails ? "fail" : "inconclusive";
  };
  if (assertion.op == ">=") return proven(least >= limit, most < limit);
  if (assertion.op == ">") return proven(least > limit, most <= limit);
  if (assertion.op == "<=") return proven(most <= limit, least > limit);
  if (assertion.op == "<") return proven(most < limit, least >= limit);
  if (assertion.op == "==")
    return proven(least == limit && most == limit, most < limit || least > limit);
  return "inconclusive";
}

/// What a figure that is missed is limited by: prices and room by themselves.
std::string limiter_of(std::string_view metric, const std::string& binding) {
  const metric::Name name = metric::parse(metric);
  if (name.domain == metric::Domain::cost || name.domain == metric::Domain::power ||
      name.domain == metric::Domain::space)
    return "";
  if (models::is_of_space(metric))
    return metric::of_storage(name.id, name.figure.starts_with("wear.") ? "wear" : "capacity");
  return binding;
}

std::vector<AssertionOutcome> judge(const Design& design, const Prediction& prediction,
                                    const ProvenBounds& bounds, const std::string& binding) {
  std::vector<AssertionOutcome> out;
  for (const Expectation& e : design.expect) {
    AssertionOutcome outcome{.id = e.id,
                             .that = e.that,
                             .unit = {},
                             .status = "inconclusive",
                             .level = e.level,
                             .limited_by = {},
                             .why = e.why};
    const auto metric = [&](const std::string& name) {
      const auto found = prediction.metrics.find(name);
      return found == prediction.metrics.end() ? nullptr : &found->second;
    };
    // A figure of many metrics, or one relative to a baseline, is not a bound.
    if (const Result<base::Assertion> parsed = base::parse_assertion(e.that);
        parsed.ok() && parsed->relative.empty() && parsed->statistic.empty()) {
      outcome.metric = parsed->metric;
      if (const Metric* known = metric(parsed->metric))
        if (const Result<double> limit = base::limit_in(*parsed, known->unit); limit.ok()) {
          outcome.value = known->value;
          outcome.unit = known->unit;
          outcome.limit = *limit;
          outcome.status = status_of(*parsed, *limit, bounds);
          if (outcome.status == "fail") outcome.limited_by = limiter_of(parsed->metric, binding);
        }
    }
    out.push_back(std::move(outcome));
  }
  return out;
}

void add_with(const models::Costs& costs, const Design& design,
              std::map<std::string, Metric>& metrics) {
  models::add_costs(design, costs, metrics);
  models::add_whole_runs(design, costs, metrics);
  models::add_power(design, models::powers(design), metrics);
}

}  // namespace

void add_over_utilizations(const Design& design, std::map<std::string, Metric>& metrics) {
  add_with(models::costs(design), design, metrics);
}

Prediction estimate(const Design& design) {
  const models::Bounds bounds = models::bounds(design);
  Prediction prediction;
  prediction.method = "estimate";
  prediction.scenario_id = design.id;
  prediction.scenario_file = design.file;
  prediction.design_sha256 = codec::design_hash(design);
  ProvenBounds proven;
  for (const models::Derivation& d : bounds.derivations) {
    constexpr std::string_view kBound = ".gpu.utilization.bound";
    constexpr std::string_view kShare = ".gpu.utilization.estimate";
    const auto utilization = [&](std::string_view suffix) {
      return d.name.substr(0, d.name.size() - suffix.size()) + ".gpu.utilization";
    };
    if (d.name.ends_with(kBound)) {
      const std::string metric = utilization(kBound);
      proven[metric] = {.least = 0.0, .most = d.value};
      prediction.metrics[metric] = {d.value, "ratio", {}};
    } else if (d.name.ends_with(kShare)) {
      Metric& metric = prediction.metrics[utilization(kShare)];
      metric.value = std::min(metric.value, d.value);
    } else if (d.name.ends_with(".checkpoint.size")) {
      prediction.metrics[d.name] = {d.value, "B", {}};
    }
  }
  const models::Costs costs = models::costs(design);
  add_with(costs, design, prediction.metrics);
  prediction.gpus = models::gpus_of_jobs(design, prediction.metrics);
  for (const char* sum : {metric::kPower, metric::kStoragePower, metric::kRackUnits, metric::kCapex,
                          metric::kHourlyCost})
    if (const auto found = prediction.metrics.find(sum); found != prediction.metrics.end())
      proven[sum] = {.least = found->second.value, .most = found->second.value};
  std::map<std::string, Metric> room;
  models::add_spaces(models::spaces(design), room);
  for (const auto& [name, metric] : room)
    proven[name] = {.least = metric.value, .most = metric.value};
  prediction.metrics.merge(room);
  if (std::string missing = models::missing_prices(costs); !missing.empty())
    prediction.warnings.push_back(std::move(missing));
  for (std::string& missing : models::missing_powers(models::powers(design)))
    prediction.warnings.push_back(std::move(missing));
  if (bounds.utilization < 1.0)
    prediction.bottlenecks.push_back({bounds.binding, 1.0, 0.0, "it sets the bound"});
  prediction.assertions = judge(design, prediction, proven, bounds.binding);
  prediction.verdict = verdict_of(prediction.assertions);
  return prediction;
}

}  // namespace stallcast::predict
