#include "engine/decide/diff/compare_sides.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/glob.hpp"
#include "engine/decide/predict/compare.hpp"

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
