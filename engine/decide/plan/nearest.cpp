#include "engine/decide/plan/nearest.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/counted.hpp"
#include "engine/decide/plan/plan.hpp"
#include "engine/decide/plan/reason.hpp"
#include "engine/decide/plan/standing.hpp"
#include "engine/decide/predict/estimate.hpp"

namespace stallcast::plan {

std::optional<Cell> largest_within(Designs& designs) {
  if (designs.axes().size() > 1) return std::nullopt;
  const auto over = [&](std::size_t i) {
    const Result<Design>& design = designs.at({i});
    return design.ok() && exceeded(predict::estimate(*design)) != nullptr;
  };
  std::size_t within = 0, beyond = designs.axes().front().size() - 1;
  if (over(within) || !over(beyond)) return std::nullopt;
  while (beyond - within > 1) {
    const std::size_t middle = within + (beyond - within) / 2;
    (over(middle) ? beyond : within) = middle;
  }
  return Cell{within};
}

std::optional<PlanNearest> nearest_of(const PlanResult& plan) {
  const auto score = [](const TargetMargin& t) {
    return t.unsure() && t.probability ? *t.probability - *t.confidence : t.margin;
  };
  std::optional<PlanNearest> out;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const PlanPoint& point = plan.points[i];
    const TargetMargin* missed = tightest(point);
    if (missed == nullptr || missed->status == "pass" || !std::isfinite(score(*missed))) continue;
    if (!out || score(*missed) > score(out->misses.target))
      out = PlanNearest{i, missed_by(point, *missed, base::counted(plan, point))};
  }
  return out;
}

std::optional<PlanReason> over_budget(Designs& designs, const Cell& cell, const PlanResult& plan) {
  const Result<Design>& design = designs.at(cell);
  if (!design.ok()) return std::nullopt;
  const Prediction bounded = predict::estimate(*design);
  const AssertionOutcome* budget = exceeded(bounded);
  if (budget == nullptr) return std::nullopt;
  PlanPoint point = point_of(bounded, designs.outages());
  point.values = texts_of(designs.axes(), cell);
  const auto missed = std::ranges::find(point.targets, budget->id, &TargetMargin::id);
  if (missed == point.targets.end()) return std::nullopt;
  return missed_by(point, *missed, base::counted(plan, point));
}

}  // namespace stallcast::plan
