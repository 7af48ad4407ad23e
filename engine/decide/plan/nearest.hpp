#pragma once

#include <optional>

#include "engine/decide/plan/designs.hpp"
#include "stallcast/plan.hpp"

/// Where no design meets the targets, what comes nearest: docs/guide/plan.md, "The answer".
namespace stallcast::plan {

/// The largest design within the budgets, where one thing is searched and larger designs are not;
/// nullopt where none or all are. Decided by bounds, no simulation.
[[nodiscard]] std::optional<Cell> largest_within(Designs& designs);

/// Where several things are searched, simulates the designs one step beyond the nearest of `found`
/// that bounds leave out for a budget: they may miss by less. Of one, the next is told as such.
void look_beyond_budgets(Designs& designs, Search& found);

/// The design whose worst target is nearest to its limit; nullopt where none has a limit that is
/// near.
[[nodiscard]] std::optional<PlanNearest> nearest_of(const PlanResult& plan);

/// The budget that `cell` is over, by bounds; nullopt where it is over none.
[[nodiscard]] std::optional<PlanReason> over_budget(Designs& designs, const Cell& cell,
                                                    const PlanResult& plan);

}  // namespace stallcast::plan
