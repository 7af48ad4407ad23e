#include "engine/decide/diff/compare_sides.hpp"

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
  // A scenario that says other seeds has changed; results may have been asked for them.
  if ((base.recorded || head.recorded) && base.prediction.seeds != head.prediction.seeds)
    diff.warnings.push_back("predicted with different seeds: part of the difference is chance");
}

}  // namespace

void compare(Diff& diff, const ComparedMetrics& scope) {
  const auto& before = diff.base.prediction.metrics;
  const auto& after = diff.head.prediction.metrics;
  const std::vector<Tolerance> tolerances = {{"*", scope.min_change}};
  diff.metrics = predict::compare_all(before, after, tolerances);
  std::erase_if(diff.metrics, [&](const MetricChange& m) {
    return !base::matches_glob(scope.metrics, m.metric);
  });
  const auto lacking = [&](const auto& these, const auto& those, auto& out) {
    for (const auto& [name, metric] : these) {
      const auto other = those.find(name);
      if ((other == those.end() || other->second.unit != metric.unit) &&
          base::matches_glob(scope.metrics, name))
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
