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

namespace {

/// By how much of its limit a target is met; less than 0 where it is missed.
double score(const TargetMargin& t) {
  return t.unsure() && t.probability ? *t.probability - *t.confidence : t.margin;
}

/// What a design misses by most; nullptr where nothing can be told.
const TargetMargin* worst_of(const PlanPoint& point) {
  const TargetMargin* missed = tightest(point);
  const bool tells = missed != nullptr && missed->status != "pass" && std::isfinite(score(*missed));
  return tells ? missed : nullptr;
}

}  // namespace

void look_beyond_budgets(Designs& designs, Search& found) {
  if (designs.axes().size() < 2) return;
  std::optional<Cell> nearest;
  double best = 0.0;
  for (const auto& [cell, prediction] : found.seen) {
    const PlanPoint point = point_of(prediction, designs.outages());
    const TargetMargin* missed = worst_of(point);
    if (missed == nullptr || (nearest && score(*missed) <= best)) continue;
    nearest = cell;
    best = score(*missed);
  }
  if (!nearest) return;
  std::vector<Cell> beyond;
  for (std::size_t a = 0; a < nearest->size(); ++a) {
    Cell next = *nearest;
    if (++next[a] >= designs.axes()[a].size() || found.seen.contains(next)) continue;
    const Result<Design>& design = designs.at(next);
    if (design.ok() && exceeded(predict::estimate(*design)) != nullptr) beyond.push_back(next);
  }
  std::vector<Result<Prediction>> made = designs.predict(beyond);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i].ok()) found.seen.emplace(beyond[i], *std::move(made[i]));
}

std::optional<PlanNearest> nearest_of(const PlanResult& plan) {
  std::optional<PlanNearest> out;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const PlanPoint& point = plan.points[i];
    const TargetMargin* missed = worst_of(point);
    if (missed == nullptr || (out && score(*missed) <= score(out->misses.target))) continue;
    const std::string values = base::counted(plan, point);
    out = PlanNearest{i, missed_by(point, *missed, values)};
    for (const TargetMargin& t : point.targets)
      if (&t != missed && t.status != "pass") out->also.push_back(missed_by(point, t, values));
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
