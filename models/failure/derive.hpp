#pragma once

#include <vector>

#include "models/bounds.hpp"
#include "models/failure/failure.hpp"
#include "models/plant.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// What of `job`, on `hosts` hosts, can fail.
[[nodiscard]] FailingParts failing_parts(const JobDesign& job, const RankLayout& layout,
                                         double hosts);

/// What can be said of the failures of one job without simulating: how often it fails, and how
/// often to save. Nothing when no failure hits it. `stall` is the least that a save costs training;
/// 0: the job never saves.
[[nodiscard]] std::vector<Derivation> derive_failures(const Design& design, const JobDesign& job,
                                                      const FailingParts& parts, Seconds stall);

}  // namespace stallcast::models
