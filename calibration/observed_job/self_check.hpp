#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/observe/job_figures.hpp"
#include "calibration/observed_job/job_scenario.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// The scenario of an observed job, simulated: what it leaves open is solved for, and what it is
/// off by is said.
namespace stallcast::calibration {

/// Simulates a design that many times (0: as it says).
using SimulateJob = std::function<Result<Prediction>(const Design& design, int replicas)>;

/// One figure of the job, as it was seen and as it is simulated.
struct CheckedFigure {
  JobFigure seen;
  double simulated = 0.0;  ///< base unit

  /// Over the observed figure; of a share, in shares.
  [[nodiscard]] double off() const {
    if (seen.dimension == Dimension::ratio) return simulated - seen.value;
    return seen.value > 0.0 ? simulated / seen.value - 1.0 : 0.0;
  }
};

struct SelfCheck {
  std::vector<CheckedFigure> figures;
  Discrepancy discrepancy;
  std::size_t simulations = 0;
  std::vector<std::string> remarks;
};

/// Solves for `costs` by simulation: the cause's factor for the wait, `boot` and `start` for the
/// first batch, `write` for the time of a save, `compute` where ranks meet. What the job's figures
/// do not decide stays as it is. `profile` may be null.
[[nodiscard]] Result<FreeCosts> solve(const Observation& observation, const JobFacts& facts,
                                      FreeCosts costs, const JobWriting& how,
                                      const CalibrationProfile* profile,
                                      const SimulateJob& simulate, std::size_t& simulations);

/// Simulates the whole scenario and compares.
[[nodiscard]] Result<SelfCheck> check_job(const Observation& observation, const JobFacts& facts,
                                          const FreeCosts& costs, const JobWriting& how,
                                          const CalibrationProfile* profile,
                                          const SimulateJob& simulate);

}  // namespace stallcast::calibration
