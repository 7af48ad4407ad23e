#pragma once

#include "engine/runtime/run/simulate.hpp"
#include "stallcast/result.hpp"
#include "stallcast/timeline.hpp"

namespace stallcast::run {

/// Simulates `request` and records what happened instead of measuring it. As `simulate` of one
/// request in every other respect, but that nothing of it is kept.
[[nodiscard]] Result<Timeline> record(const SimulationRequest& request, const TimelineRequest& what,
                                      const SimulateOptions& options);

}  // namespace stallcast::run
