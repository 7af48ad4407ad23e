#pragma once

#include <vector>

#include "models/bounds/bounds.hpp"
#include "models/contract/failure.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// What of `job` can fail.
[[nodiscard]] FailingParts failing_parts(const JobDesign& job, const RankLayout& layout);

/// From submission of a job on `hosts` hosts until its processes can ask for data. Nothing where
/// the scenario does not say how it starts.
[[nodiscard]] std::vector<Derivation> derive_startup(const JobDesign& job, double hosts);

/// What can be said of the failures of one job without simulating: how often it fails, and how
/// often to save. Nothing when no failure hits it. `stall` is the least that a save costs training;
/// 0: the job never saves.
[[nodiscard]] std::vector<Derivation> derive_failures(const Design& design, const JobDesign& job,
                                                      const FailingParts& parts, Seconds stall);

/// What an elastic job lends, and the least its shifts cost over as long as its histories are: a
/// save that takes `save`, the restart, and reading the `written` bytes back. Nothing when it lends
/// nothing. REQUIRES: an elastic job has a checkpoint.
[[nodiscard]] std::vector<Derivation> derive_elastic(const Design& design, const JobDesign& job,
                                                     const Plant& plant, Seconds save,
                                                     Bytes written);

}  // namespace stallcast::models
