#pragma once

#include <functional>
#include <string>

#include "engine/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// The fewest OSTs, servers, controllers or whatever the storage system `wanted` ("": the one the
/// bounds study) is counted in that meet the targets of `design`. `redesign` gives the design with
/// one more `--set`. Expectations on what only a plan knows are checked in the end; what is wrong
/// with them goes to `options.faults`, and the failure is bad_input then.
[[nodiscard]] Result<PlanResult> size_storage(
    const Design& design, const std::string& wanted,
    const std::function<Result<Design>(const std::string& set)>& redesign,
    const predict::Options& options);

}  // namespace stallcast::plan
