#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "engine/predict/predict.hpp"

namespace stallcast::predict {
namespace {

constexpr std::array<std::string_view, 5> kOperators = {"<=", ">=", "==", "<", ">"};
constexpr std::string_view kExample = "write \"job.train.gpu.utilization >= 95 %\"";

/// Dimensions a limit may have, in the order they are tried. A number without a unit is a number.
constexpr std::array<Dimension, 8> kLimitDimensions = {
    Dimension::number, Dimension::ratio,   Dimension::time,  Dimension::rate,
    Dimension::bytes,  Dimension::op_rate, Dimension::money, Dimension::money_rate};

bool holds(const std::string& op, double value, double limit) {
  if (op == "<") return value < limit;
  if (op == "<=") return value <= limit;
  if (op == ">") return value > limit;
  if (op == ">=") return value >= limit;
  return std::abs(value - limit) <= 1e-9 * std::max(std::abs(value), std::abs(limit));
}

/// "inconclusive" when the interval has points on both sides of the limit.
std::string status_of(const Assertion& assertion, const Metric& metric, double limit) {
  const bool value_holds = holds(assertion.op, metric.value, limit);
  if (!metric.ci95.has_value()) return value_holds ? "pass" : "fail";
  const auto [low, high] = *metric.ci95;
  if (assertion.op == "==") {
    if (value_holds) return "pass";
    return low <= limit && limit <= high ? "inconclusive" : "fail";
  }
  const bool low_holds = holds(assertion.op, low, limit);
  const bool high_holds = holds(assertion.op, high, limit);
  if (low_holds && high_holds) return "pass";
  return low_holds || high_holds ? "inconclusive" : "fail";
}

int badness(std::string_view status) {
  return status == "fail" ? 2 : status == "inconclusive" ? 1 : 0;
}

/// The resource in "resource.storage.scratch.ost.utilization", or "".
std::string resource_of(std::string_view metric) {
  constexpr std::string_view kPrefix = "resource.";
  if (!metric.starts_with(kPrefix)) return "";
  metric.remove_prefix(kPrefix.size());
  return std::string(metric.substr(0, metric.rfind('.')));
}

std::string metric_hint(const std::string& metric, const Prediction& prediction) {
  if (is_plan_metric(metric)) return "only \"stallcast plan\" computes it";
  std::vector<std::string> names;
  for (const auto& [name, m] : prediction.metrics) names.push_back(name);
  if (const std::string near = base::nearest(metric, names); !near.empty())
    return "did you mean \"" + near + "\"?";
  // The metrics that share the most leading parts with the one asked for.
  std::vector<std::string> alike;
  for (std::string stem = metric; alike.empty() && !stem.empty();) {
    const std::size_t dot = stem.rfind('.');
    stem = dot == std::string::npos ? "" : stem.substr(0, dot);
    for (const std::string& name : names)
      if (!stem.empty() && name.starts_with(stem + ".")) alike.push_back(name);
  }
  if (alike.empty()) alike = names;
  const bool more = alike.size() > 6;
  if (more) alike.resize(6);
  return "known metrics: " + base::join(alike, ", ") + (more ? ", ..." : "");
}

/// The limit in the unit of `names`, which must all be of one dimension.
Result<double> common_limit(const Expectation& expectation, const Assertion& assertion,
                            const std::vector<const std::string*>& names,
                            const Prediction& prediction) {
  double limit = 0.0;
  for (const std::string* name : names) {
    const std::string& unit = prediction.metrics.at(*name).unit;
    Result<double> in_unit = limit_in(assertion, unit);
    if (!in_unit.ok())
      return Failure{ExitCode::bad_input,
                     "\"" + expectation.that + "\": " + in_unit.failure().message + ", since \"" +
                         *name + "\" is in " + unit,
                     in_unit.failure().hint};
    limit = in_unit.value();
  }
  return limit;
}

AssertionOutcome outcome_of(const Expectation& expectation, const Assertion& assertion,
                            const std::vector<const std::string*>& names,
                            const Prediction& prediction, double limit) {
  AssertionOutcome out;
  out.id = expectation.id;
  out.that = expectation.that;
  out.level = expectation.level.empty() ? "error" : expectation.level;
  out.why = expectation.why;
  const std::string* worst = nullptr;
  double worst_margin = 0.0;
  for (const std::string* name : names) {
    const Metric& metric = prediction.metrics.at(*name);
    const std::string status = status_of(assertion, metric, limit);
    const double m = margin(assertion, metric.value, limit);
    if (worst != nullptr && (badness(status) < badness(out.status) ||
                             (badness(status) == badness(out.status) && m >= worst_margin)))
      continue;
    worst = name;
    worst_margin = m;
    out.status = status;
    out.value = metric.value;
    out.unit = metric.unit;
    out.ci95 = metric.ci95;
  }
  out.limit = limit;
  if (out.status != "pass") {
    out.limited_by = resource_of(*worst);
    if (out.limited_by.empty()) out.limited_by = limiter(prediction, *worst);
  }
  return out;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (text.substr(0, star) != pattern.substr(0, star)) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t i = star; i <= text.size(); ++i)
    if (matches(rest, text.substr(i))) return true;
  return false;
}

Result<Assertion> parse_assertion(const std::string& that) {
  const std::size_t at = that.find_first_of("<>=!");
  if (at == std::string::npos)
    return Failure{ExitCode::bad_input, "\"" + that + "\" compares nothing", std::string(kExample)};
  Assertion assertion;
  assertion.metric = base::trim(std::string_view(that).substr(0, at));
  if (assertion.metric.empty() || assertion.metric.find(' ') != std::string::npos)
    return Failure{ExitCode::bad_input, "\"" + that + "\" must start with one metric",
                   std::string(kExample)};
  const std::string_view tail = std::string_view(that).substr(at);
  for (const std::string_view op : kOperators)
    if (assertion.op.empty() && tail.starts_with(op)) assertion.op = op;
  if (assertion.op.empty())
    return Failure{ExitCode::bad_input, "\"" + that + "\" has no known comparison",
                   "use one of < <= > >= =="};
  const std::string limit(base::trim(tail.substr(assertion.op.size())));
  for (const Dimension dimension : kLimitDimensions) {
    const base::ParsedQuantity parsed = base::parse_quantity(limit, dimension);
    if (!parsed.value.has_value()) continue;
    assertion.limit = *parsed.value;
    assertion.dimension = dimension;
    return assertion;
  }
  return Failure{ExitCode::bad_input, "\"" + limit + "\" is not a quantity",
                 "for example \"95 %\", \"5 s\", \"2 GB/s\", \"1 GiB\" or \"48\""};
}

std::optional<Dimension> dimension_of(std::string_view unit) {
  if (unit == "s") return Dimension::time;
  if (unit == "B") return Dimension::bytes;
  if (unit == "B/s") return Dimension::rate;
  if (unit == "ratio") return Dimension::ratio;
  if (unit == "count") return Dimension::count;
  if (unit == "1/s") return Dimension::op_rate;
  if (unit == "USD") return Dimension::money;
  if (unit == "USD/h") return Dimension::money_rate;
  return std::nullopt;
}

Result<double> limit_in(const Assertion& assertion, std::string_view metric_unit) {
  const Dimension wanted = dimension_of(metric_unit).value_or(Dimension::number);
  const bool is_number = wanted == Dimension::count || wanted == Dimension::number;
  if (assertion.dimension == wanted || (is_number && assertion.dimension == Dimension::number))
    return metric_unit == "USD/h" ? assertion.limit * 3600.0 : assertion.limit;
  const std::string needed = is_number ? std::string("a number without a unit")
                                       : std::string(base::dimension_name(wanted));
  const std::string example =
      is_number ? std::string("48") : std::string(base::dimension_example(wanted));
  return Failure{
      ExitCode::bad_input, "the limit must be " + needed,
      "write for example \"" + assertion.metric + " " + assertion.op + " " + example + "\""};
}

double margin(const Assertion& assertion, double value, double limit) {
  const double scale = limit != 0.0 ? std::abs(limit) : 1.0;
  if (assertion.op.starts_with('<')) return (limit - value) / scale;
  if (assertion.op.starts_with('>')) return (value - limit) / scale;
  return -std::abs(value - limit) / scale;
}

bool is_plan_metric(std::string_view metric) {
  return metric.ends_with(".required") || metric.ends_with(".supported");
}

std::vector<AssertionOutcome> check(const Design& design, const Prediction& prediction,
                                    Diagnostics& diags) {
  std::vector<AssertionOutcome> outcomes;
  for (const Expectation& expectation : design.expect) {
    const std::string at = expectation.pointer + "/that";
    const Result<Assertion> assertion = parse_assertion(expectation.that);
    if (!assertion.ok()) {
      diags.error("expect", at, assertion.failure().message, assertion.failure().hint);
      continue;
    }
    std::vector<const std::string*> names;
    for (const auto& [name, metric] : prediction.metrics)
      if (matches(assertion->metric, name)) names.push_back(&name);
    if (names.empty()) {
      diags.error("unknown-metric", at, "no metric is named \"" + assertion->metric + "\"",
                  metric_hint(assertion->metric, prediction));
      continue;
    }
    const Result<double> limit = common_limit(expectation, *assertion, names, prediction);
    if (limit.ok())
      outcomes.push_back(outcome_of(expectation, *assertion, names, prediction, limit.value()));
    else
      diags.error("expect", at, limit.failure().message, limit.failure().hint);
  }
  return outcomes;
}

Verdict verdict_of(std::span<const AssertionOutcome> outcomes) {
  if (outcomes.empty()) return Verdict::none;
  int worst = 0;
  for (const AssertionOutcome& outcome : outcomes)
    if (outcome.level != "warn") worst = std::max(worst, badness(outcome.status));
  return worst == 2 ? Verdict::fail : worst == 1 ? Verdict::inconclusive : Verdict::pass;
}

}  // namespace stallcast::predict
