#pragma once

#include "calibration/observe/job_facts.hpp"

namespace stallcast::calibration {

/// What the steps of a job were: compute, waits, what the first took more, and how well they are
/// known. REQUIRES: steps with a duration or a compute; ranks are counted.
///    [docs/models/observed-job.md, eq. 1, 8 and 9]
void time_steps(const Observation& o, JobFacts& out);

}  // namespace stallcast::calibration
