#pragma once

#include <string>

#include "stallcast/observation.hpp"

namespace stallcast::calibration {

/// What to say of ranks of which no steps were seen; "" where there are none. Where ranks `meet`
/// after each step they are numbered from 0, and the highest number says how many there were where
/// nothing else does.    [docs/reference/traces.md, dlio-output]
[[nodiscard]] std::string tell_missing_ranks(Observation& observation, bool meet);

}  // namespace stallcast::calibration
