#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/result.hpp"
#include "stallcast/row_validation.hpp"
#include "stallcast/uncertainty.hpp"

/// Rows by simulation of their scenarios: with inputs drawn from their ranges, or from what one
/// measured row of the same system leaves of them.
namespace stallcast::calibration::mlperf {

struct RowOptions {
  predict::PredictOptions predict;
  std::size_t draws = 16;        ///< of a row
  std::size_t search_draws = 4;  ///< of the search for a number of accelerators
  std::string folder = {};       ///< where the scenarios of rows are written; "" for nowhere
  std::size_t calibrating = 96;  ///< of a row that calibrates, to begin with
};

/// With `draws` of a row, and of the rest as many as go with these; 0: as many as usual.
[[nodiscard]] RowOptions row_options(const predict::PredictOptions& predict, std::size_t draws,
                                     std::string folder);

/// What a scenario gave of a metric: with its inputs at their middles, and drawn. Draws that have
/// not ended are left out.
struct DrawnFigure {
  double middle = 0.0;
  std::vector<double> draws;
  double model = 0.0;  ///< half a width of what no input explains: uncertain::discrepancy_of
};
using DrawnFigures = std::map<std::string, DrawnFigure>;

class RowSimulator {
 public:
  explicit RowSimulator(RowOptions options) : options_(std::move(options)) {}

  /// Draws of the scenario `document` for each of `metrics`. `profile` may be absent.
  [[nodiscard]] Result<DrawnFigures> figures(const base::Json& document, const std::string& name,
                                             const CalibrationProfile* profile,
                                             const std::vector<std::string>& metrics);

  /// What `observed` says of the inputs of the scenario `document`; no inputs where nothing
  /// explains it.
  [[nodiscard]] Result<CalibrationProfile> calibrate(const base::Json& document,
                                                     const std::string& name,
                                                     std::span<const ObservedFigure> observed);

  /// With inputs at their middles and of each draw the most, in whole ones per host, at which
  /// `metric` is at least `bar`; at least one. `scenario` writes the scenario with so many per
  /// host; the search begins at `guess`.
  [[nodiscard]] Result<DrawnFigure> most_per_host(const std::function<base::Json(double)>& scenario,
                                                  const std::string& name,
                                                  const CalibrationProfile* profile,
                                                  const std::string& metric, double bar,
                                                  double guess);

 private:
  RowOptions options_;
};

/// The figure with inputs at their middles, and intervals around it and the median of the draws: of
/// nine in ten, what holds so many of these, widened by its `model` on the error scale of its unit
/// (odds for shares, factors for all else); of other levels alike, as a normal's quantiles have it
/// of `model`. REQUIRES: there are draws.
[[nodiscard]] PredictedFigure figure_of(DrawnFigure drawn, const std::string& unit);

}  // namespace stallcast::calibration::mlperf
