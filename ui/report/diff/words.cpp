#include "ui/report/diff/words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <tuple>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// A smaller part of a difference is not worth a name.
constexpr double kSmallPart = 0.005;
/// From this relative change on, a factor reads better.
constexpr double kManyTimes = 9.0;
/// A factor beyond tells no more than that there was next to nothing before.
constexpr double kMostTimes = 10'000.0;
/// Changes a sentence blames; tables have all.
constexpr std::size_t kMostBlamed = 3;

const std::string& metric_of(const AssertionOutcome& a, std::string& buffer) {
  if (!a.metric.empty()) return a.metric;
  buffer = a.that.substr(0, a.that.find(' '));
  return buffer;
}

/// GPU utilization, or what takes off of it.
bool is_utilization(const metric::Name& name) {
  using namespace metric;
  return name.domain == Domain::job && name.statistic.empty() &&
         (name.figure == kGpuUtilization || name.figure == kAu || name.figure == kGoodput);
}

/// 0: of a target whose status is another now; 1: of a target, and how long all stages take; 2:
/// utilization, and the first batch of a pipeline; 3: of a job or a price; 4: anything; 5:
/// percentiles and steady state, which mostly move with the mean, and what is waited for at one
/// resource, which is part of a share.
int rank(const std::string& metric) {
  const metric::Name name = metric::parse(metric);
  if (metric == metric::kPipelineTime) return 1;
  if (metric == metric::kPipelineFirstBatch) return 2;
  if (name.figure.starts_with("steady.") || name.figure.starts_with("waited.") ||
      !name.statistic.empty())
    return 5;
  if (name.domain == metric::Domain::cost) return 3;
  if (name.domain != metric::Domain::job) return 4;
  return is_utilization(name) || name.figure.ends_with(".goodput") ? 2 : 3;
}

int rank(const Diff& diff, const std::string& metric) {
  std::string buffer;
  int out = 4;
  for (const AssertionOutcome& now : diff.head.prediction.assertions) {
    if (metric_of(now, buffer) != metric) continue;
    out = 1;
    for (const AssertionOutcome& was : diff.base.prediction.assertions)
      if (was.id == now.id && was.status != now.status) return 0;
  }
  return out < 4 ? out : rank(metric);
}

std::string signed_number(double value, const char* unit) {
  char text[48];
  const double size = std::abs(value);
  const char* format = size < 0.1 ? "%+.2g %s" : size < 1.0 ? "%+.2f %s" : "%+.1f %s";
  std::snprintf(text, sizeof text, format, value, unit);
  return text;
}

/// "designs/a.json:12" without the column; words like "default" stay.
std::string line_of(const std::string& where) {
  const Position at = base::position_of(where);
  return at.line > 0 ? at.file + ":" + std::to_string(at.line) : where;
}

}  // namespace

std::string more_line(std::size_t shown, std::size_t all) {
  return shown < all ? "  ... and " + std::to_string(all - shown) + " more (--format json)\n" : "";
}

std::string titled_list(const Ink& ink, const char* title, const std::vector<std::string>& all,
                        std::size_t most) {
  if (all.empty()) return "";
  return "\n" + ink.bold(title) + "\n" + bullets(all, most, "more (--format json)");
}

std::string_view effect_name(Effect effect) {
  return effect == Effect::worse     ? "worse"
         : effect == Effect::better  ? "better"
         : effect == Effect::changed ? "changed"
                                     : "same";
}

std::string_view attribution_name(Attribution method) {
  return method == Attribution::shapley         ? "shapley"
         : method == Attribution::one_at_a_time ? "oat"
                                                : "none";
}

std::vector<const MetricChange*> moved_metrics(const Diff& diff) {
  std::vector<std::tuple<int, int, double, const MetricChange*>> order;
  for (const MetricChange& m : diff.metrics)
    if (m.effect != Effect::none)
      order.emplace_back(rank(diff, m.metric),
                         m.effect == Effect::worse    ? 0
                         : m.effect == Effect::better ? 1
                                                      : 2,
                         -std::abs(m.relative()), &m);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  std::vector<const MetricChange*> out;
  for (const auto& entry : order) out.push_back(std::get<3>(entry));
  return out;
}

std::vector<const SweepMetricChange*> moved_metrics(const SweepDiff& diff) {
  std::vector<const SweepMetricChange*> out;
  for (const SweepMetricChange& m : diff.metrics) out.push_back(&m);
  std::stable_sort(out.begin(), out.end(),
                   [](const SweepMetricChange* a, const SweepMetricChange* b) {
                     return rank(a->metric) < rank(b->metric);
                   });
  return out;
}

std::vector<const MetricChange*> headline_metrics(const Diff& diff, std::size_t most) {
  const std::vector<const MetricChange*> all = moved_metrics(diff);
  std::vector<const MetricChange*> out;
  for (const MetricChange* m : all) {
    if (out.size() == most || (rank(diff, m->metric) > 2 && !out.empty())) break;
    // Goodput without failures is utilization: once is enough, of each job.
    const std::string_view of = metric::parse(m->metric).id;
    const bool said = std::any_of(out.begin(), out.end(), [&](const MetricChange* o) {
      return o->unit == m->unit && o->before == m->before && o->after == m->after &&
             metric::parse(o->metric).id == of;
    });
    if (!said) out.push_back(m);
  }
  return out;
}

std::string metric_label(const std::string& metric) { return label::of_metric(metric, "", true); }

std::string before_text(const MetricChange& m) {
  return as_counted(m.metric, print_beside(m.before, m.after, m.unit));
}
std::string after_text(const MetricChange& m) {
  return as_counted(m.metric, print_beside(m.after, m.before, m.unit));
}

std::string delta_text(const MetricChange& m) {
  if (m.unit == "ratio") return signed_number(100.0 * m.difference(), "points");
  if (!std::isfinite(m.relative())) return "new";
  if (m.relative() < kManyTimes) return print_margin(m.relative());
  const double times = m.after / m.before;
  if (times > kMostTimes) return "> x " + fixed(kMostTimes, 0);
  return "x " + fixed(base::rounded_to(times, 3), times < 100.0 ? 1 : 0);
}

std::string part_text(double part, const MetricChange& of) {
  if (of.unit == "ratio") return signed_number(100.0 * part, "points");
  return (part < 0.0 ? "-" : "+") + as_counted(of.metric, print_value(std::abs(part), of.unit));
}

std::string change_text(const InputChange& c, bool in_words) {
  const auto text = [&](const std::string& path, const std::string& before,
                        const std::string& after) {
    const auto kind = [](const std::string& k) { return k.empty() ? "" : " (" + k + ")"; };
    const std::string name = in_words ? label::of_input(path) : path;
    if (before.empty()) return name + " added" + kind(after);
    if (after.empty()) return name + " removed" + kind(before);
    return name + " " + before + " -> " + after;
  };
  if (c.together.empty()) return text(c.name, c.before, c.after);
  std::string out;
  for (const InputMove& m : c.moves)
    out += (out.empty() ? "" : " and ") + text(m.path, m.before, m.after);
  return out;
}

std::string unknown_inputs_text(const Diff& diff) {
  const std::string& was = diff.base.prediction.design_sha256;
  if (was == diff.head.prediction.design_sha256) return "Inputs are the same: one design.";
  return "Inputs are not compared: a result does not say all of them.";
}

std::string place_text(const InputChange& c) {
  const bool is_set = c.head_at.starts_with("--set ");  // the change says what it sets
  const std::string was = line_of(c.base_at), is = is_set ? "--set" : line_of(c.head_at);
  if (was == is || was.empty()) return is;
  if (is.empty()) return was;
  return was + " -> " + is;
}

std::vector<Blame> blames(const Diff& diff, const MetricChange& metric) {
  std::vector<Blame> out;
  const auto shares = diff.attributed.metrics.find(metric.metric);
  if (shares == diff.attributed.metrics.end()) return out;
  for (std::size_t i = 0; i < diff.attributed.changes.size(); ++i) {
    const std::size_t number = diff.attributed.changes[i];
    const double share = shares->second.shares[i];
    const double fraction = metric.difference() == 0.0 ? 0.0 : share / metric.difference();
    if (std::abs(fraction) < kSmallPart) continue;
    out.push_back({&diff.inputs[number], number, share, shares->second.alone[i], fraction});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Blame& a, const Blame& b) { return a.fraction > b.fraction; });
  return out;
}

std::string limit_text(const Prediction& p) {
  const auto [what, cost] = limit_words(p);
  return what + (cost.empty() ? "" : " (" + cost + ")");
}

namespace {

/// It was cut off before any simulation ended.
bool has_no_figures(const Diff& diff) {
  return diff.exit == ExitCode::inconclusive && diff.metrics.empty() && diff.gone.empty() &&
         diff.come.empty();
}

}  // namespace

std::string bottleneck_text(const Diff& diff) {
  if (has_no_figures(diff)) return "bottleneck: not known";
  const Prediction &base = diff.base.prediction, &head = diff.head.prediction;
  const Limit was = limit_of(base), is = limit_of(head);
  if (was.name != is.name || was.target != is.target)
    return "bottleneck: " + limit_text(base) + " -> " + limit_text(head);
  const std::string before = limit_words(base).cost;
  const auto [what, after] = limit_words(head);
  if (before == after || before.empty() || after.empty())
    return "bottleneck stays " + limit_text(head);
  return "bottleneck stays " + what + " (" + before + " -> " + after + ")";
}

std::string targets_text(const Diff& diff) {
  const auto say = [](const Prediction& p) -> std::string {
    std::size_t missed = 0, unsure = 0, warned = 0;
    for (const AssertionOutcome& a : p.assertions) {
      if (a.level == "warn") {
        warned += a.status == "pass" ? 0U : 1U;
        continue;
      }
      missed += a.status == "fail" ? 1U : 0U;
      unsure += a.status == "inconclusive" ? 1U : 0U;
    }
    const std::size_t n = p.assertions.size();
    if (n == 0) return "no targets";
    const std::string of = " of " + count_of(n, "target");
    if (missed > 0) return std::to_string(missed) + of + " missed";
    if (unsure > 0) return std::to_string(unsure) + of + " unsure";
    if (warned > 0) return "all targets hold but " + count_of(warned, "warning");
    return n == 1   ? "the target holds"
           : n == 2 ? "both targets hold"
                    : "all " + std::to_string(n) + " targets hold";
  };
  const std::string was = say(diff.base.prediction), is = say(diff.head.prediction);
  if (diff.base.prediction.assertions.empty() && diff.head.prediction.assertions.empty()) return "";
  return was == is ? is : was + " -> " + is;
}

std::string_view diff_word(const Diff& diff) {
  if (has_no_figures(diff) && !diff.inputs_known) return "UNKNOWN";
  if (!diff.changed()) return "SAME";
  const auto is_worse = [](Verdict was, Verdict is) {
    return is == Verdict::fail && was != Verdict::fail;
  };
  const Verdict was = diff.base.prediction.verdict, is = diff.head.prediction.verdict;
  // What decides is what people ask for; other metrics only where none of those moved.
  std::size_t worse = is_worse(was, is) ? 1 : 0, better = is_worse(is, was) ? 1 : 0;
  for (const MetricChange* m : headline_metrics(diff, diff.metrics.size())) {
    worse += m->effect == Effect::worse ? 1U : 0U;
    better += m->effect == Effect::better ? 1U : 0U;
  }
  if (worse > 0) return better > 0 ? "MIXED" : "WORSE";
  return better > 0 ? "BETTER" : "CHANGED";
}

std::string diff_headline(const Diff& diff) {
  const std::string& was = diff.base.prediction.scenario_id;
  const std::string& is = diff.head.prediction.scenario_id;
  std::string out = (was == is ? is : was + " -> " + is) + ": ";
  if (has_no_figures(diff))
    return out + "no figures, nothing was simulated" +
           (diff.inputs_known ? "; " + count_of(diff.inputs.size(), "input") + " changed" : "");
  // The warning that the comparison gives then, and no other.
  const bool ranges =
      std::any_of(diff.warnings.begin(), diff.warnings.end(), [](const std::string& warning) {
        return warning.find(" may be something else in truth: ") != std::string::npos;
      });
  if (!diff.changed() && ranges)
    return out + "only ranges of values changed, none of " +
           count_of(diff.metrics.size(), "metric");
  if (!diff.changed())
    return out + "nothing changed (" + count_of(diff.metrics.size(), "metric") +
           (diff.inputs_known ? " and all inputs" : "") + ")";
  std::string counts;
  for (const Effect effect : {Effect::worse, Effect::better, Effect::changed})
    if (const std::size_t n = diff.count(effect); n > 0)
      counts += (counts.empty() ? count_of(n, "metric") + " " : ", " + std::to_string(n) + " ") +
                std::string(effect_name(effect));
  out += !counts.empty()        ? counts
         : diff.metrics.empty() ? "no metric in common (the ids of what they are of differ)"
                                : "no metric moved";
  if (const std::string targets = targets_text(diff); !targets.empty()) out += "; " + targets;
  return out;
}

std::string sentence(const Diff& diff, const MetricChange& m) {
  std::string out = metric_label(m.metric) + " " + before_text(m) + " -> " + after_text(m) + "  (" +
                    delta_text(m) + ", " + std::string(effect_name(m.effect)) + ")";
  std::vector<Blame> all = blames(diff, m);
  // What moves it the other way is no cause of where it went.
  std::erase_if(all, [](const Blame& b) { return b.fraction <= 0.0; });
  std::string because;
  for (std::size_t i = 0; i < std::min(all.size(), kMostBlamed); ++i)
    because += (because.empty() ? "  because " : ", ") + change_text(*all[i].change) + " (" +
               part_text(all[i].share, m) + ")";
  if (all.size() > kMostBlamed)
    because += ", and " + std::to_string(all.size() - kMostBlamed) + " more";
  return out + because;
}

std::string method_text(const Diff& diff) {
  const Attributed& a = diff.attributed;
  if (a.method == Attribution::none || a.changes.empty()) return "";
  if (a.changes.size() == 1) return "the only change";
  const std::string designs = std::to_string(a.designs) + " simulated designs";
  return a.method == Attribution::shapley ? "Shapley values over " + designs
                                          : "one at a time, " + designs;
}

}  // namespace stallcast::report
