#include <algorithm>
#include <cmath>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/bounds.hpp"
#include "ui/cli/prediction_verb.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

std::string_view unit_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "B";
    case Dimension::time:
      return "s";
    case Dimension::rate:
      return "B/s";
    case Dimension::op_rate:
      return "1/s";
    case Dimension::ratio:
      return "ratio";
    case Dimension::money:
      return "USD";
    case Dimension::money_rate:
      return "USD/s";
    case Dimension::flops:
      return "FLOP";
    case Dimension::flop_rate:
      return "FLOP/s";
    default:
      return "count";
  }
}

/// "job.train.checkpoint.stall" -> "job.train"; the object a metric is about.
std::string object_of(const std::string& metric) {
  const auto parts = base::split(metric, '.');
  if (parts.size() < 2) return metric;
  if (parts[0] == "resource" && parts.size() > 2) return parts[1] + "." + parts[2];
  return parts[0] + "." + parts[1];
}

/// Inputs that can change `metric`: those of its object and of what it uses. Saves do not depend
/// on how data is read, nor the other way round.
bool concerns(const std::string& path, const std::string& metric) {
  if (metric.empty()) return true;
  const bool about_saves = metric.find("checkpoint") != std::string::npos;
  const bool about_reads = metric.find(".stall.") != std::string::npos ||
                           metric.find("first_batch") != std::string::npos;
  if (about_saves &&
      (path.find("].dataset.") != std::string::npos || path.find("].loader.") != std::string::npos))
    return false;
  if (about_reads && path.find("].checkpoint.") != std::string::npos) return false;
  const auto parts = base::split(object_of(metric), '.');
  if (parts.size() < 2 || parts[0] == "cost") return true;
  const std::string id = "[" + parts[1] + "]";
  if (parts[0] == "job") return !path.starts_with("jobs[") || path.find(id) != std::string::npos;
  if (parts[0] == "storage" || parts[0] == "host") {
    const std::string root = parts[0] == "storage" ? "storage[" : "cluster.hosts[";
    return !path.starts_with(root) || path.find(id) != std::string::npos;
  }
  return true;
}

/// What a limit on the cost of blocking saves asks of the storage: from interval + save time.
void derive_overhead_target(const models::Bounds& bounds, const Expectation& expectation,
                            report::Explanation& explanation) {
  const auto parsed = predict::parse_assertion(expectation.that);
  if (!parsed.ok() || !parsed->metric.ends_with(".checkpoint.overhead")) return;
  const auto limit = predict::limit_in(*parsed, "ratio");
  if (!limit.ok() || !(limit.value() > 0.0 && limit.value() < 1.0)) return;
  const std::string stem = parsed->metric.substr(0, parsed->metric.rfind('.'));
  const auto value = [&](const std::string& name) {
    for (const models::Derivation& d : bounds.derivations)
      if (d.name == stem + name) return d.value;
    return 0.0;
  };
  const double interval = value(".interval"), size = value(".size");
  if (interval <= 0.0 || size <= 0.0) return;
  const auto print = [](double v, Dimension d) { return base::print_quantity(v, d); };
  const double save = interval * limit.value() / (1.0 - limit.value());
  const std::string share = print(limit.value(), Dimension::ratio);
  explanation.derived.push_back({stem + ".save.allowed", print(save, Dimension::time), save, "s",
                                 expectation.that + ": save / (interval + save) = " + share +
                                     ", so save = " + print(interval, Dimension::time) + " x " +
                                     share + " / " + print(1.0 - limit.value(), Dimension::ratio) +
                                     " = " + print(save, Dimension::time)});
  explanation.derived.push_back(
      {stem + ".write.needed", print(size / save, Dimension::rate), size / save, "B/s",
       print(size, Dimension::bytes) + " / " + print(save, Dimension::time) + " = " +
           print(size / save, Dimension::rate)});
  if (bounds.unit_write <= Rate{}) return;
  const double osts = std::ceil(size / save / bounds.unit_write.in(unit::Bps)-1e-9);
  explanation.derived.push_back({"storage." + bounds.storage + ".osts.for_" + expectation.id,
                                 print(osts, Dimension::number), osts, "count",
                                 print(size / save, Dimension::rate) + " / " +
                                     print(bounds.unit_write.in(unit::Bps), Dimension::rate) +
                                     " of one = " + print(osts, Dimension::number) + " " +
                                     bounds.noun + " at least"});
}

void fill_inputs(const Design& design, report::Explanation& explanation) {
  const models::Bounds bounds = models::bounds(design);
  for (const models::Derivation& d : bounds.derivations) {
    if (!explanation.metric.empty() && d.name.starts_with("job.") &&
        explanation.metric.starts_with("job.") &&
        object_of(d.name) != object_of(explanation.metric))
      continue;
    explanation.derived.push_back({d.name, base::print_quantity(d.value, d.dimension), d.value,
                                   std::string(unit_of(d.dimension)), d.formula});
  }
  for (const Expectation& expectation : design.expect)
    derive_overhead_target(bounds, expectation, explanation);
  for (const auto& [path, value] : base::values_of(design))
    if (concerns(path, explanation.metric))
      explanation.inputs.push_back({path, print_input(*value), print_source(value->source)});
}

/// Whether the metric exists; prints the nearest when not.
bool known_metric(const std::string& metric, const Prediction& prediction) {
  std::vector<std::string> names;
  for (const auto& [name, m] : prediction.metrics) {
    if (name == metric || name.starts_with(metric + ".")) return true;
    names.push_back(name);
  }
  const std::string near = base::nearest(metric, names);
  print_error("stallcast explain: no metric is named \"" + metric + "\"",
              near.empty() ? "\"stallcast run --format csv\" lists them"
                           : "did you mean \"" + near + "\"?");
  return false;
}

}  // namespace

int explain_verb(const Verb& verb, std::span<const std::string> args) {
  std::string metric;
  PredictionVerb common(verb, PredictionVerb::Advice::optional, false);
  common.line().text("--metric", metric, "NAME", "only what concerns this metric");
  if (const auto exit = common.begin(args)) return *exit;
  const Design& design = common.design();
  report::Explanation explanation;
  explanation.scenario_id = design.id;
  explanation.metric = metric;
  fill_inputs(design, explanation);
  if (const auto exit = common.predict(explanation.prediction)) return *exit;
  if (!metric.empty() && !known_metric(metric, *explanation.prediction))
    return static_cast<int>(ExitCode::bad_input);
  common.advise(*explanation.prediction);
  // To explain is not to judge: a missed target is not a failure of this verb.
  return common.deliver(explanation, ExitCode::ok);
}

}  // namespace stallcast::cli
