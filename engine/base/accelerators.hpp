#pragma once

#include "stallcast/design.hpp"

namespace stallcast::base {

/// Ranks of `job`: as stated, else all GPUs of its hosts; 0 where it is on none that is there.
[[nodiscard]] double accelerators(const Design& design, const JobDesign& job);

}  // namespace stallcast::base
