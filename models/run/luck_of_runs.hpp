#pragma once

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// Whole runs among outages of storage that come at random, and what luck makes of them.
namespace stallcast::models {

/// "job.J.time.outages": what such outages cost a whole run's job of the time that was simulated.
/// REQUIRES: faults have reported.
void add_time_of_outages(const Design& design, RunResult& out);

/// "job.J.run.outages": what they add to the whole run; a warning of what they cost besides.
///    [docs/models/whole-run.md, eq. 7]
void add_outages_of_runs(const Design& design, RunResult& out);

/// Luck of the histories of whole runs and of outages, as that of their time, cost and energy: what
/// comes once has none. REQUIRES: these are known as far as they will be.
///    [docs/models/uncertainty.md, eq. 15]
void add_luck_of_runs(const Design& design, RunResult& out);

}  // namespace stallcast::models
