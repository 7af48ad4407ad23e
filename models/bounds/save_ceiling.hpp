#pragma once

#include "models/bounds/parts.hpp"

namespace stallcast::models::detail {

/// The share of its time that a job can compute which waits for its saves, of which each takes
/// `save` at least; with the rule of it. 1 where it may end before any. [bounds.md, eq. 6]
struct SaveCeiling {
  double share = 1.0;
  Rule rule{};
};
[[nodiscard]] SaveCeiling save_ceiling(const Design& design, const JobDesign& job,
                                       const JobDemand& d, const CheckpointParams& p);

}  // namespace stallcast::models::detail
