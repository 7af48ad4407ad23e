#pragma once

#include <cstdint>

#include "models/job/job.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// What the failures of `design` and the shifts of an elastic job make of it over
/// `recovery.horizon`: goodput, lost work, restarts, GPU time lent and the best interval between
/// saves, from what the detailed run of `job` measured. Replaces the job's goodput, utilization and
/// breakdown in `out`. Does nothing when no failure hits the job and it lends nothing. REQUIRES:
/// `job` has run and reported to `out`.
void add_failures(const Design& design, const JobDesign& job_design, const TrainingJob& job,
                  const Plant& plant, std::uint64_t seed, RunResult& out);

}  // namespace stallcast::models
