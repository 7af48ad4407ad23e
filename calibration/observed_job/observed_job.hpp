#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/observed_job/self_check.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/observation.hpp"

/// From observations to the scenario of the job: `stallcast import observation`.
namespace stallcast::calibration {

struct JobImport {
  std::string scenario;  ///< JSON with comments; "" when there is an error
  std::vector<scenarios::FieldNote> fields;
  std::optional<SelfCheck> check;          ///< none without a simulation
  std::vector<std::string> warnings = {};  ///< what a reader of its prediction must know
};

/// What was asked for besides the observation.
struct JobImportOptions {
  std::string id = "observed";
  std::string profile_file;                     ///< "": none
  const CalibrationProfile* profile = nullptr;  ///< of that file
  SimulateJob simulate;                         ///< empty: no self-check, nothing is solved for
};

/// One observation of the job from those of its ranks (or of parts of its run): counts and times
/// add up, distributions are put together by their counts; files that were read are those of an
/// epoch where there are several. REQUIRES: not empty.
[[nodiscard]] Observation merged(const std::vector<Observation>& parts);

/// REQUIRES: steps. A failure when the scenario cannot be simulated.
[[nodiscard]] Result<JobImport> import_job(const Observation& observation,
                                           const JobImportOptions& options);

/// The figures of the self-check as a table: observed, simulated, off by.
[[nodiscard]] std::string print_check(const SelfCheck& check);

}  // namespace stallcast::calibration
