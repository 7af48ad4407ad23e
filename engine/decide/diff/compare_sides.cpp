#include "engine/decide/diff/compare_sides.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/glob.hpp"
#include "engine/decide/predict/compare.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::diff {
namespace {

void warn_of_skew(Diff& diff) {
  const DiffSide& base = diff.base;
  const DiffSide& head = diff.head;
  if (!base.model.empty() && !head.model.empty() && base.model != head.model)
    diff.warnings.push_back("predicted by models " + base.model + " and " + head.model +
                            ": part of the difference may be theirs");
  if (base.prediction.profile_sha256 != head.prediction.profile_sha256)
    diff.warnings.push_back(
        "predicted with different calibration profiles: part of the difference may be theirs");
  if (base.prediction.seeds != head.prediction.seeds)
    diff.warnings.push_back("predicted with different seeds: part of the difference is chance");
}

/// Half of what the mean of the replicas may be off by, 95 %; 0 of a single one.
double half_width(const Metric& metric) {
  return metric.ci95 ? (metric.ci95->second - metric.ci95->first) / 2.0 : 0.0;
}

/// Whether both are the same design, with other seeds or another number of them.
bool is_one_design(const Diff& diff) {
  return diff.inputs_known && std::ranges::all_of(diff.inputs, [](const InputChange& change) {
           return change.target || std::ranges::all_of(change.moves, [](const InputMove& move) {
                    return move.path == "run.seed" || move.path == "run.replicas";
                  });
         });
}

/// With other seeds a metric has moved where it did by more than the means of both may be off by;
/// it is no better or worse then where nothing else is another, as that is chance, however rare.
/// With the same ones luck is the same: any difference is the design's.
void leave_out_luck(const Diff& diff, std::vector<MetricChange>& all) {
  const DiffSide &base = diff.base, &head = diff.head;
  if (base.prediction.seeds == head.prediction.seeds) return;
  const bool chance = is_one_design(diff);
  for (MetricChange& one : all) {
    const double luck = std::hypot(half_width(base.prediction.metrics.at(one.metric)),
                                   half_width(head.prediction.metrics.at(one.metric)));
    if (std::abs(one.difference()) <= luck)
      one.effect = Effect::none;
    else if (chance && one.effect != Effect::none)
      one.effect = Effect::changed;
  }
}

/// Of a run that became shorter what is waited for is a larger share, though nobody waits longer: a
/// share of the time is worse, or better, where what is waited for in a step is, too.
void leave_out_shorter_runs(const Diff& diff, std::vector<MetricChange>& all, double tolerance) {
  constexpr std::string_view kShare = "stall.";
  const auto per_step = [](const Prediction& p, std::string_view job, std::string_view cause) {
    const double steps = figure_or_zero(p, metric::of_job(job, "steps"));
    const double time = figure_or_zero(p, metric::of_job(job, "time." + std::string(cause)));
    return steps > 0.0 ? std::optional(time / steps) : std::nullopt;
  };
  for (MetricChange& one : all) {
    const metric::Name name = metric::parse(one.metric);
    if (name.domain != metric::Domain::job || !name.figure.starts_with(kShare) ||
        (one.effect != Effect::worse && one.effect != Effect::better))
      continue;
    const std::string_view cause = name.figure.substr(kShare.size());
    const auto was = per_step(diff.base.prediction, name.id, cause);
    const auto is = per_step(diff.head.prediction, name.id, cause);
    if (!was || !is) continue;
    const double moved = *is - *was, least = tolerance * *was;
    if (one.effect == Effect::worse ? moved <= least : moved >= -least)
      one.effect = Effect::changed;
  }
}

}  // namespace

void compare(Diff& diff, const ComparedMetrics& scope) {
  const auto& before = diff.base.prediction.metrics;
  const auto& after = diff.head.prediction.metrics;
  const std::vector<Tolerance> tolerances = {{"*", scope.min_change}};
  diff.metrics = predict::compare_all(before, after, tolerances);
  std::erase_if(diff.metrics, [&](const MetricChange& m) {
    return !base::matches_metric(scope.metrics, m.metric);
  });
  leave_out_luck(diff, diff.metrics);
  leave_out_shorter_runs(diff, diff.metrics, scope.min_change);
  const auto lacking = [&](const auto& these, const auto& those, auto& out) {
    for (const auto& [name, metric] : these) {
      const auto other = those.find(name);
      if ((other == those.end() || other->second.unit != metric.unit) &&
          base::matches_metric(scope.metrics, name))
        out.emplace(name, metric);
    }
  };
  lacking(before, after, diff.gone);
  lacking(after, before, diff.come);
  warn_of_skew(diff);
  for (const DiffSide* side : {&diff.base, &diff.head})
    for (const std::string& warning : side->prediction.warnings)
      diff.warnings.push_back(side->name + ": " + warning);
}

}  // namespace stallcast::diff
