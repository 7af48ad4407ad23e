#pragma once

#include <optional>

#include "engine/decide/plan/designs.hpp"
#include "stallcast/plan.hpp"

/// Where no design meets the targets, what comes nearest: docs/guide/plan.md, "The answer".
namespace stallcast::plan {

/// The largest design within the budgets, where one thing is searched and larger designs are not;
/// nullopt where none or all are. Decided by bounds, no simulation.
[[nodiscard]] std::optional<Cell> largest_within(Designs& designs);

/// The design whose worst target is nearest to its limit, of those of `found`; nullopt where none
/// has a limit that is near. Bounds leave out what is over a budget, and all that is within it
/// where that is too small; any of them may miss by less. With `beyond`, and where several things
/// are searched and some designs are over a budget, those one, two, four, ... steps along one axis
/// from it are simulated and put into `found`, and so on from one that is nearer, at most
/// kMostBeyond.
[[nodiscard]] std::optional<Nearest> look_for_nearest(Designs& designs, bool beyond, Search& found);

inline constexpr std::size_t kMostBeyond = 64;

/// The same as it is told. REQUIRES: the points of `plan` are those of `found`, in its order.
[[nodiscard]] std::optional<PlanNearest> told_nearest(Designs& designs, const Search& found,
                                                      const PlanResult& plan);

}  // namespace stallcast::plan
