#pragma once

#include <map>
#include <string>

#include "models/contract/asker.hpp"
#include "models/job/job.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

/// Requests of whole runs. docs/models/cost.md, equation 6.
namespace stallcast::models {

/// Requests in what was simulated, by what becomes of them in whole runs.
struct RequestPhases {
  RequestCounts counts;  ///< all
  std::map<std::string, std::map<std::string, TrainingJob::Requests>>
      jobs;      ///< by job, by resource
  Seconds wall;  ///< in which those came that are of no whole run
};

/// By resource, requests a second in the time in which whole runs go on. Empty where no job has
/// one, or nothing comes once: then they come as in what was simulated.
/// REQUIRES: `metrics` has those of all jobs and stages.
[[nodiscard]] std::map<std::string, double> whole_rates(
    const Design& design, const RequestPhases& phases,
    const std::map<std::string, Metric>& metrics);

}  // namespace stallcast::models
