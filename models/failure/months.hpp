#pragma once

#include <cstdint>

#include "models/job.hpp"
#include "models/plant.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// What the failures of `design` make of one job over `recovery.horizon`: goodput, lost work,
/// restarts and the best interval between saves, from what the detailed run of `job` measured.
/// Replaces the job's goodput, utilization and breakdown in `out`. Does nothing when no failure
/// hits the job. REQUIRES: `job` has run and reported to `out`.
void add_failures(const Design& design, const JobDesign& job_design, const TrainingJob& job,
                  const Plant& plant, std::uint64_t seed, RunResult& out);

}  // namespace stallcast::models
