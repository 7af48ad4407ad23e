#pragma once

#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// The values of a range that is searched, in steps, in so many, or in the units that `wanted` asks
/// for; with `whole` those without a unit are whole numbers.
[[nodiscard]] Result<std::vector<Setting>> axis_values(SweepRange range,
                                                       const PlanDimension& wanted, bool whole);

}  // namespace stallcast::plan
