#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/coverage.hpp"
#include "stallcast/prediction.hpp"

/// Predictions next to what was measured on real systems.
namespace stallcast {

/// One metric of one case.
struct Comparison {
  std::string metric;     ///< full name: "job.train.au"
  std::string unit;       ///< of both figures, as `Metric::unit`
  double measured = 0.0;  ///< in `unit`
  Metric predicted;       ///< with its interval when there was more than one replica
  /// predicted - measured: in percentage points when the unit is "ratio", else in percent of the
  /// measured value. Positive: predicted too high.
  double error = 0.0;
  std::optional<LevelIntervals> outcomes = std::nullopt;  ///< absent without draws
};

/// One case: a system that was measured, and the scenario that describes it.
struct ValidatedCase {
  std::string id;
  std::string scenario;  ///< file, as it was opened
  std::string source;    ///< where the measurement was published
  std::string note;
  std::vector<Comparison> comparisons;  ///< in the order of the case file
  std::vector<std::string> warnings;    ///< of the prediction
  bool finished = true;                 ///< false: stopped early, `warnings` says why
  bool extrapolated = false;            ///< outside the range that a profile was fitted in
  std::size_t replicas = 1;             ///< simulations behind the prediction
};

/// Errors of one metric over all cases that have it.
struct ErrorSummary {
  std::string metric;     ///< without the job's name: "job.*.au"
  std::string unit;       ///< of the metric
  std::size_t cases = 0;  ///< how many figures were compared
  /// Mean of |error|: percentage points when the unit is "ratio", else percent.
  double mean_absolute_error = 0.0;
  /// Median of max(predicted / measured, measured / predicted): 1 is perfect.
  double median_factor = 1.0;
  /// Share of the figures whose factor is at most 1.2: from 16.7 % too low to 20 % too high.
  double within_factor = 0.0;
};

/// What a case file says about itself.
struct CaseFile {
  std::string file;
  std::string id;
  std::string title;
  std::string source;
  std::string note;
};

/// Everything `stallcast validate` found.
struct Validation {
  std::vector<CaseFile> files;
  std::vector<ValidatedCase> cases;   ///< in the order of the files
  std::vector<ErrorSummary> summary;  ///< in the order the metrics first appear
  Coverage coverage;                  ///< of its intervals; empty without draws
  std::string profile_id;             ///< of the calibration profile; "" without one
  std::string profile_sha256;         ///< of its file
  double wall_s = 0.0;  ///< wall clock of all simulations, never part of compared bytes
};

}  // namespace stallcast
