#pragma once

#include "stallcast/design.hpp"

namespace stallcast::base {

/// GPUs of all hosts of a class.
[[nodiscard]] double gpus_of(const Component& host);

/// Ranks of `job`: as stated, else all GPUs of its hosts; 0 where it is on none that is there.
[[nodiscard]] double accelerators(const Design& design, const JobDesign& job);

}  // namespace stallcast::base
