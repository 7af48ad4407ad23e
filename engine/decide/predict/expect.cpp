#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/glob.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/decide/predict/student.hpp"
#include "models/run/known_figures.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/limit.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::predict {
namespace {

bool holds(const std::string& op, double value, const base::AskedLimits& to) {
  if (op == "<") return value < to.limit;
  if (op == "<=") return value <= to.limit;
  if (op == ">") return value > to.limit;
  if (op == ">=") return value >= to.limit;
  if (op == "in") return value >= to.limit && value <= *to.upper;
  return std::abs(value - to.limit) <= 1e-9 * std::max(std::abs(value), std::abs(to.limit));
}

/// "inconclusive" when the interval has points on both sides of the limit.
std::string status_of(const base::Assertion& assertion, const Metric& metric,
                      const base::AskedLimits& to) {
  const bool value_holds = holds(assertion.op, metric.value, to);
  if (!metric.ci95.has_value()) return value_holds ? "pass" : "fail";
  const auto [low, high] = *metric.ci95;
  if (assertion.op == "==") {
    if (value_holds) return "pass";
    return low <= to.limit && to.limit <= high ? "inconclusive" : "fail";
  }
  if (assertion.op == "in" && (high < to.limit || low > *to.upper)) return "fail";
  const bool low_holds = holds(assertion.op, low, to);
  const bool high_holds = holds(assertion.op, high, to);
  if (low_holds && high_holds) return "pass";
  if (assertion.op == "in") return "inconclusive";
  return low_holds || high_holds ? "inconclusive" : "fail";
}

int badness(std::string_view status) {
  return status == "fail" ? 2 : status == "inconclusive" ? 1 : 0;
}

using Named = std::pair<std::string, Metric>;

/// Every metric that `pattern` means; "x.mean" is "x", whose value is the mean of a distribution.
std::vector<Named> matching(std::string_view pattern, const Prediction& prediction) {
  constexpr std::string_view kMean = ".mean";
  std::vector<Named> out;
  for (const auto& named : prediction.metrics)
    if (base::matches_metric(pattern, named.first)) out.push_back(named);
  if (out.empty() && pattern.ends_with(kMean))
    return matching(pattern.substr(0, pattern.size() - kMean.size()), prediction);
  return out;
}

/// One figure of several: its name is the assertion's, its interval is not known.
Named statistic_of(const base::Assertion& assertion, const std::vector<Named>& metrics) {
  std::vector<double> values;
  for (const auto& [name, metric] : metrics) values.push_back(metric.value);
  const double total = mean(values) * static_cast<double>(values.size());
  const double value =
      assertion.statistic == "mean"  ? mean(values)
      : assertion.statistic == "min" ? *std::min_element(values.begin(), values.end())
      : assertion.statistic == "max" ? *std::max_element(values.begin(), values.end())
                                     : total;
  return {assertion.statistic + "(" + assertion.metric + ")",
          Metric{value, metrics.front().second.unit, std::nullopt}};
}

/// The limit in the unit of `metrics`, which must all be of one dimension.
Result<base::AskedLimits> common_limits(const Expectation& expectation,
                                        const base::Assertion& assertion,
                                        const std::vector<Named>& metrics, const double* base) {
  base::AskedLimits to;
  for (const auto& [name, metric] : metrics) {
    const auto with_reason = [&, &name = name, &metric = metric](const Failure& why) {
      return Failure{ExitCode::bad_input,
                     "\"" + expectation.that + "\": " + why.message + ", since \"" + name +
                         "\" is in " + metric.unit,
                     why.hint};
    };
    if (!assertion.relative.empty()) {
      const Result<base::AskedLimits> relative =
          base::relative_limits(assertion, metric.unit, *base);
      if (!relative.ok()) return with_reason(relative.failure());
      to = *relative;
      continue;
    }
    const Result<double> limit = base::limit_in(assertion, metric.unit);
    if (!limit.ok()) return with_reason(limit.failure());
    to.limit = *limit;
    if (!assertion.upper.has_value()) continue;
    base::Assertion end = assertion;
    end.limit = *assertion.upper;
    to.upper = base::limit_in(end, metric.unit).value();
  }
  return to;
}

AssertionOutcome named_by(const Expectation& expectation) {
  AssertionOutcome out;
  out.id = expectation.id;
  out.that = expectation.that;
  out.level = expectation.level.empty() ? "error" : expectation.level;
  out.why = expectation.why;
  return out;
}

/// Of what did not come in the run.
AssertionOutcome not_known(const Expectation& expectation, const std::string& metric) {
  AssertionOutcome out = named_by(expectation);
  out.status = "inconclusive";
  out.metric = metric;
  return out;
}

AssertionOutcome outcome_of(const Expectation& expectation, const base::Assertion& assertion,
                            const std::vector<Named>& metrics, const Prediction& prediction,
                            const std::optional<base::AskedLimits>& to) {
  AssertionOutcome out = named_by(expectation);
  const std::string* worst = nullptr;
  double worst_margin = 0.0;
  for (const auto& [name, metric] : metrics) {
    const std::string status = to ? status_of(assertion, metric, *to) : "inconclusive";
    const double m = to ? base::margin(assertion, metric.value, to->limit, to->upper) : 0.0;
    if (worst != nullptr && (badness(status) < badness(out.status) ||
                             (badness(status) == badness(out.status) && m >= worst_margin)))
      continue;
    worst = &name;
    worst_margin = m;
    out.status = status;
    out.value = metric.value;
    out.unit = metric.unit;
    out.ci95 = metric.ci95;
  }
  out.metric = *worst;
  if (const metric::Name name = metric::parse(out.metric);
      name.domain == metric::Domain::job && name.figure == metric::kGpuUtilization)
    out.goodput = goodput_left(prediction, std::string(name.id));
  if (to) out.limit = to->limit;
  if (to) out.upper = to->upper;
  if (to) name_limit(prediction, out);
  return out;
}

/// A target that asks for a confidence holds where it holds in so many of the draws.
void judge_by_draws(const Expectation& expectation, const Prediction& prediction,
                    AssertionOutcome& outcome) {
  outcome.confidence = expectation.confidence;
  if (!prediction.uncertainty) return;
  const auto known = prediction.uncertainty->probability.find(expectation.id);
  if (known == prediction.uncertainty->probability.end()) return;
  judge_drawn(known->second, outcome);
}

}  // namespace

namespace {

/// Why there is no figure of what jobs do now and then: they have not done it; "" for others.
std::string not_done(const std::string& metric, const Prediction& prediction) {
  const metric::Name name = metric::parse(metric);
  if (name.domain != metric::Domain::job) return "";
  const std::string job = metric::of_job(name.id);
  const auto none = [&](const std::string& figure) {
    const auto found = prediction.metrics.find(job + figure);
    return found != prediction.metrics.end() && found->second.value == 0.0;
  };
  const std::string of = " of job \"" + std::string(name.id) + "\" ";
  const bool of_months = name.figure.starts_with("run.") || name.figure.starts_with("failures.") ||
                         name.figure.starts_with("elastic.") ||
                         name.figure.starts_with(metric::kGoodput);
  const bool no_months = of_months && !prediction.metrics.contains(metric::goodput(name.id));
  if ((name.figure.starts_with("checkpoint.") || no_months) && none("checkpoint.count"))
    return "no save" + of + "ends in what is simulated: let it last longer, or save more often";
  const bool restored = std::ranges::any_of(prediction.metrics, [&](const auto& named) {
    return named.first.starts_with(job + "restore.");
  });
  if (name.figure.starts_with("run.") && none(std::string(metric::kGoodput))) {
    constexpr double kMost = 0.5;
    const bool waits = figure_or_zero(prediction, job + "failures.waiting.share") > kMost;
    return "no whole run" + of +
           (waits ? "ends: it waits for spare hosts; give its \"recovery\" more \"spares\", or "
                    "shorten \"repair\""
                  : "ends: failures undo what is done; save more often");
  }
  if (name.figure.starts_with("restore.") && !restored)
    return "nothing" + of + "is restored in what is simulated: " + models::kRestoreHint;
  return "";
}

}  // namespace

std::string metric_hint(const std::string& metric, const Prediction& prediction) {
  if (is_plan_metric(metric)) return "only \"stallcast plan\" computes it";
  if (std::string why = not_done(metric, prediction); !why.empty()) return why;
  std::vector<std::string> names;
  for (const auto& [name, m] : prediction.metrics) names.push_back(name);
  if (const std::string near = base::nearest(metric, names); !near.empty())
    return "did you mean \"" + near + "\"?";
  // The metrics that share the most words with the one asked for, wherever these stand.
  const std::vector<std::string> asked = base::split(metric, '.');
  std::vector<std::string> alike;
  std::ptrdiff_t most = 0;
  for (const std::string& name : names) {
    const std::vector<std::string> words = base::split(name, '.');
    const auto shared = std::count_if(asked.begin(), asked.end(), [&](const std::string& word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    });
    if (shared > most) alike.clear();
    most = std::max(most, shared);
    if (shared == most) alike.push_back(name);
  }
  const bool more = alike.size() > 6;
  if (more) alike.resize(6);
  return "known metrics: " + base::join(alike, ", ") + (more ? ", ..." : "");
}

void judge_drawn(double probability, AssertionOutcome& outcome) {
  outcome.probability = probability;
  if (outcome.confidence) outcome.status = probability >= *outcome.confidence ? "pass" : "fail";
}

bool is_plan_metric(std::string_view metric) {
  return metric.ends_with(".required") || metric.ends_with(".supported");
}

std::vector<AssertionOutcome> check(const Design& design, const Prediction& prediction,
                                    Diagnostics& diags, const BaseValues* base) {
  std::vector<AssertionOutcome> outcomes;
  for (const Expectation& expectation : design.expect) {
    const std::string at = expectation.pointer + "/that";
    const Result<base::Assertion> assertion = base::parse_assertion(expectation.that);
    if (!assertion.ok()) {
      diags.error("expect", at, assertion.failure().message, assertion.failure().hint);
      continue;
    }
    const bool relative = !assertion->relative.empty();
    if (relative && base == nullptr) continue;
    std::vector<Named> metrics = matching(assertion->metric, prediction);
    if (metrics.empty()) {
      if (const std::string why = not_done(assertion->metric, prediction); !why.empty()) {
        diags.warn(kNotDone, at, "no metric is named \"" + assertion->metric + "\"", why);
        outcomes.push_back(not_known(expectation, assertion->metric));
        continue;
      }
      diags.error("unknown-metric", at, "no metric is named \"" + assertion->metric + "\"",
                  metric_hint(assertion->metric, prediction));
      continue;
    }
    const double* value = nullptr;
    if (relative)
      if (const auto known = base->find(expectation.id); known != base->end())
        value = &known->second;
    std::optional<base::AskedLimits> to;
    if (!relative || value != nullptr) {
      const Result<base::AskedLimits> limits =
          common_limits(expectation, *assertion, metrics, value);
      if (!limits.ok()) {
        diags.error("expect", at, limits.failure().message, limits.failure().hint);
        continue;
      }
      to = *limits;
    }
    if (!assertion->statistic.empty()) metrics = {statistic_of(*assertion, metrics)};
    outcomes.push_back(outcome_of(expectation, *assertion, metrics, prediction, to));
    judge_by_draws(expectation, prediction, outcomes.back());
  }
  return outcomes;
}

bool has_open(const Prediction& prediction) {
  return !std::ranges::all_of(prediction.assertions, &AssertionOutcome::is_known);
}

void leave_open(std::span<AssertionOutcome> outcomes) {
  for (AssertionOutcome& outcome : outcomes)
    if (outcome.confidence && !outcome.probability) outcome.status = "inconclusive";
}

void leave_open(Prediction& prediction) {
  // A verdict that is not that of the targets is of a prediction that was cut off.
  const bool whole = prediction.verdict == verdict_of(prediction.assertions);
  leave_open(prediction.assertions);
  if (whole) prediction.verdict = verdict_of(prediction.assertions);
}

namespace {

/// The job of a missed target on a whole run that GPUs which never wait would miss, too: nothing
/// but more or faster ones meets it. "" for others. n t = run.time (1 - w) G    [whole-run.md, eq.
/// 9]
std::string computes_too_long(const Prediction& prediction, const AssertionOutcome& outcome) {
  const metric::Name name = metric::parse(outcome.metric);
  const Result<base::Assertion> that = base::parse_assertion(outcome.that);
  if (outcome.status == "pass" || !outcome.limit || !that.ok() || !that->op.starts_with('<') ||
      name.domain != metric::Domain::job ||
      (name.figure != "run.time" && name.figure != "run.days"))
    return "";
  const double lent = figure_or_zero(prediction, metric::of_job(name.id, "elastic.lent.share")),
               useful = lasting(prediction, name.id, metric::kGoodput) * (1.0 - lent);
  return outcome.value * useful > *outcome.limit ? std::string(name.id) : "";
}

}  // namespace

void name_limit(const Prediction& prediction, AssertionOutcome& outcome) {
  if (const std::string job = computes_too_long(prediction, outcome); !job.empty()) {
    outcome.limited_by = metric::of_job(job, "compute");
    outcome.change.reset();
    outcome.waited = false;
    return;
  }
  outcome.limited_by = limiter(prediction, outcome.metric);
  const TargetGain* own = gain_of_target(prediction, outcome.metric);
  outcome.change = own == nullptr ? std::nullopt : own->change;
  const bool tried = prediction.gains && prediction.gains->simulated > 0;
  outcome.waited = !tried && !outcome.limited_by.empty() && !is_barrier(outcome.limited_by) &&
                   known_limiter(prediction, outcome.metric).empty();
}

void name_limits(Prediction& prediction) {
  for (AssertionOutcome& outcome : prediction.assertions)
    if (!outcome.limited_by.empty() || gain_of_target(prediction, outcome.metric) != nullptr)
      name_limit(prediction, outcome);
}

Verdict verdict_of(std::span<const AssertionOutcome> outcomes) {
  if (outcomes.empty()) return Verdict::none;
  int worst = 0;
  for (const AssertionOutcome& outcome : outcomes)
    if (outcome.level != "warn") worst = std::max(worst, badness(outcome.status));
  return worst == 2 ? Verdict::fail : worst == 1 ? Verdict::inconclusive : Verdict::pass;
}

}  // namespace stallcast::predict
