#include "engine/decide/plan/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

bool is_over(Designs& designs, const Cell& cell) {
  const Result<Design>& design = designs.at(cell);
  return design.ok() && exceeded(predict::estimate(*design)) != nullptr;
}

/// The next larger design that bounds put over a budget.
std::optional<Cell> next_over(Designs& designs, const Cell& cell) {
  for (std::size_t a = 0; a < cell.size(); ++a) {
    Cell next = cell;
    if (++next[a] < designs.axes()[a].size() && is_over(designs, next)) return next;
  }
  return std::nullopt;
}

/// Designs one, two, four, ... steps from `cell` along one axis that `seen` lacks, the nearest
/// first.
std::vector<Cell> unseen_around(Designs& designs, const Cell& cell,
                                const std::map<Cell, Prediction>& seen) {
  std::vector<Cell> out;
  const auto add = [&](std::size_t a, std::size_t place) {
    Cell next = cell;
    next[a] = place;
    if (!seen.contains(next) && !designs.fault(next)) out.push_back(std::move(next));
  };
  std::size_t longest = 0;
  for (const Axis& axis : designs.axes()) longest = std::max(longest, axis.size());
  for (std::size_t step = 1; step < longest; step *= 2)
    for (std::size_t a = 0; a < cell.size(); ++a) {
      if (cell[a] + step < designs.axes()[a].size()) add(a, cell[a] + step);
      if (cell[a] >= step) add(a, cell[a] - step);
    }
  return out;
}

/// The budget that `cell` is over, by bounds; nullopt where it is over none.
std::optional<PlanReason> budget_of(Designs& designs, const Cell& cell, const PlanResult& plan) {
  const Prediction bounded = predict::estimate(*designs.at(cell));
  const AssertionOutcome* budget = exceeded(bounded);
  if (budget == nullptr) return std::nullopt;
  PlanPoint point = point_of(bounded, designs.outages());
  point.values = texts_of(designs.axes(), cell);
  const auto missed = std::ranges::find(point.targets, budget->id, &TargetMargin::id);
  if (missed == point.targets.end()) return std::nullopt;
  return missed_by(point, *missed, base::counted(plan, point));
}

/// Looks at one design after the other for the one that misses least.
class Look {
 public:
  explicit Look(Designs& designs) : designs_(designs) {}

  /// Whether it is the nearest so far.
  bool take(const Cell& cell, const Prediction& prediction) {
    const PlanPoint point = point_of(prediction, designs_.outages());
    const TargetMargin* missed = worst_of(point);
    if (missed == nullptr || (at_ && score(*missed) <= best_)) return false;
    at_ = cell;
    best_ = score(*missed);
    return true;
  }
  [[nodiscard]] const std::optional<Cell>& at() const { return at_; }

 private:
  Designs& designs_;
  std::optional<Cell> at_;
  double best_ = 0.0;
};

}  // namespace

std::optional<Nearest> look_for_nearest(Designs& designs, bool beyond, Search& found) {
  Look look(designs);
  for (const auto& [cell, prediction] : found.seen) look.take(cell, prediction);
  if (!look.at()) return std::nullopt;
  Nearest out{*look.at()};
  // Without a budget all that is smaller misses by more.
  const bool budget = is_over(designs, out.cell) || next_over(designs, out.cell);
  for (bool nearer = beyond && budget && designs.axes().size() > 1; nearer && !out.cut_off;) {
    std::vector<Cell> fresh = unseen_around(designs, out.cell, found.seen);
    out.cut_off = out.looked + fresh.size() > kMostBeyond;
    if (out.cut_off) fresh.resize(kMostBeyond - out.looked);
    const std::vector<Result<Prediction>> made = designs.predict(fresh);
    nearer = false;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].ok()) continue;
      ++out.looked;
      nearer = look.take(fresh[i], *made[i]) || nearer;
      found.seen.emplace(fresh[i], *made[i]);
    }
    out.cell = *look.at();
  }
  // Of one that is over a budget itself the next says no more.
  if (!is_over(designs, out.cell)) out.over = next_over(designs, out.cell);
  return out;
}

std::optional<PlanNearest> told_nearest(Designs& designs, const Search& found,
                                        const PlanResult& plan) {
  if (!found.nearest) return std::nullopt;
  const auto place = static_cast<std::size_t>(
      std::distance(found.seen.begin(), found.seen.find(found.nearest->cell)));
  const PlanPoint& point = plan.points[place];
  const TargetMargin* missed = worst_of(point);
  if (missed == nullptr) return std::nullopt;
  const std::string values = base::counted(plan, point);
  PlanNearest out{place, missed_by(point, *missed, values)};
  for (const TargetMargin& t : point.targets)
    if (&t != missed && t.status != "pass") out.also.push_back(missed_by(point, t, values));
  if (found.nearest->over) out.beyond = budget_of(designs, *found.nearest->over, plan);
  out.looked = found.nearest->looked;
  out.cut_off = found.nearest->cut_off;
  return out;
}

}  // namespace stallcast::plan
