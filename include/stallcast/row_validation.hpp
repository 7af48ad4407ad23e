#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/coverage.hpp"
#include "stallcast/result.hpp"

/// Predictions of the rows of a table of measurements: what `stallcast validate --from` says.
namespace stallcast {

/// A predicted figure with its 90 % interval, in the unit of its metric.
struct PredictedFigure {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  LevelIntervals levels = {};  ///< by kLevels; that of nine in ten is `low` to `high`
  /// What the draws of the inputs gave, from the smallest on, without what the model may be off by;
  /// empty where there are none.
  std::vector<double> draws = {};
};

/// One row of the table. Metrics are named as in the JSON output: "au", "first_step_s".
struct PredictedRow {
  std::string case_id;
  std::string group;  ///< rows whose errors are summed up together: "unet3d", "A-raw128k"
  std::string method = "simulated";  ///< how it was predicted
  bool calibrates = false;           ///< its measurements were used: not scored
  std::map<std::string, PredictedFigure> predicted;
  std::map<std::string, double> measured;  ///< absent where the table's cell is empty
  /// What simpler methods say: baseline -> metric -> value.
  std::map<std::string, std::map<std::string, double>> baselines;
  /// Metrics that this row does not score, though measured ("accelerators" of a row that did not
  /// stop near its limit).
  std::vector<std::string> unscored;
  std::vector<std::string> notes;  ///< what the reader must know: "no calibration row: data sheet"
};

/// How a metric's error is counted.
enum class ErrorKind {
  points,  ///< absolute, in percentage points of a ratio
  factor   ///< max(predicted / measured, measured / predicted)
};

/// What is known of a metric of the table.
struct RowMetric {
  std::string id;    ///< "au"
  std::string unit;  ///< "ratio", "s", "ms", "count"
  ErrorKind error = ErrorKind::factor;
};

/// Errors of one method on one metric over one group ("" = all).
struct RowErrors {
  std::string metric;
  std::string group;
  std::string method;  ///< "" for the prediction, else the baseline
  std::size_t rows = 0;
  double mean_absolute = 0.0;  ///< points, or |p/m - 1|
  double median = 0.0;         ///< of the same
  double p95 = 0.0;
  double median_factor = 1.0;
  double within_factor = 0.0;      ///< share with a factor of at most 1.2
  std::optional<double> coverage;  ///< share of measurements inside the 90 % interval
};

struct RowValidation {
  std::string title;
  std::vector<std::string> protocol;  ///< what was used for what, a paragraph each
  std::vector<RowMetric> metrics;
  std::vector<PredictedRow> rows;  ///< in the order of the table
  std::vector<RowErrors> errors;   ///< by metric, then group, then method
  Coverage coverage;               ///< of the scored rows
  /// The time limit or an interrupt, where that came first: rows that were not ready have a note.
  std::optional<Failure> stopped = {};
};

/// Those of which nothing is predicted; their notes say why.
[[nodiscard]] std::vector<const PredictedRow*> unpredicted(const RowValidation& validation);

/// Errors of all metrics over all scored rows, by group and over all. Pure.
[[nodiscard]] std::vector<RowErrors> errors_of(const RowValidation& validation);
/// How often the intervals of the scored rows hold what was measured. Pure.
[[nodiscard]] Coverage coverage_of(const RowValidation& validation);

}  // namespace stallcast
