#pragma once

#include <cstdint>

#include "engine/sim/context.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Builds the design's plant and jobs on `context`, runs them to their end, and returns what was
/// measured. The same design and seed give the same result on every machine.
/// REQUIRES: `context` is fresh; `design` was resolved without errors.
[[nodiscard]] RunResult simulate(const Design& design, std::uint64_t seed, sim::Context& context);

/// How many transfers of `design` may run at one time, classes folded: what to choose a back end
/// by.
[[nodiscard]] double concurrent_flows(const Design& design);

}  // namespace stallcast::models
