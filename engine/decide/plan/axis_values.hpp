#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/change.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// The values of a range that is searched, in steps, in so many, or in the units that `wanted` asks
/// for; with `whole` those without a unit are whole numbers.
[[nodiscard]] Result<std::vector<Setting>> axis_values(SweepRange range,
                                                       const PlanDimension& wanted, bool whole);

/// The values that `wanted` lists. Where they are to be whole units and one is none, `refused` is
/// its place.
[[nodiscard]] Result<std::vector<Setting>> listed_values(const PlanDimension& wanted,
                                                         std::optional<std::size_t>& refused);

/// What asks for the same with `--over`: "storage.scratch.oss.count=1..4".
[[nodiscard]] std::string over_text(const PlanDimension& wanted, const std::string& name);

}  // namespace stallcast::plan
