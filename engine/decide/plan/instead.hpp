#pragma once

#include "engine/decide/plan/cells.hpp"
#include "engine/decide/plan/designs.hpp"
#include "stallcast/plan.hpp"

/// What there is to do where no design that was searched meets the targets.
namespace stallcast::plan {

/// Adds what else may meet them, of the design that comes nearest: a change that was not searched,
/// simulated, and what could be searched. REQUIRES: `plan` has its points, and no answer.
void look_elsewhere(Designs& designs, const PlanSpec& spec, const Search& found, PlanResult& plan);

}  // namespace stallcast::plan
