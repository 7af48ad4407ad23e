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

struct SimulateOptions {
  predict::PredictOptions predict;
  std::size_t draws = 32;         ///< of a row
  std::size_t search_draws = 8;   ///< of the search for a number of accelerators
  std::string folder = {};        ///< where the scenarios of rows are written; "" for nowhere
  std::size_t calibrating = 192;  ///< of a row that calibrates, to begin with
};

/// With `draws` of a row, and of the rest as many as go with these; 0: as many as usual.
[[nodiscard]] SimulateOptions simulate_options(const predict::PredictOptions& predict,
                                               std::size_t draws, std::string folder);

/// What draws of a scenario gave, metric by metric; draws that have not ended are left out.
using DrawnFigures = std::map<std::string, std::vector<double>>;

class RowSimulator {
 public:
  explicit RowSimulator(SimulateOptions options) : options_(std::move(options)) {}

  /// Draws of the scenario `document` for each of `metrics`. `profile` may be absent.
  [[nodiscard]] Result<DrawnFigures> figures(const base::Json& document, const std::string& name,
                                             const CalibrationProfile* profile,
                                             const std::vector<std::string>& metrics);

  /// What `observed` says of the inputs of the scenario `document`; no inputs where nothing
  /// explains it.
  [[nodiscard]] Result<CalibrationProfile> calibrate(const base::Json& document,
                                                     const std::string& name,
                                                     std::span<const ObservedFigure> observed);

  /// Of each draw the most, in whole ones per host, at which `metric` is at least `bar`; at least
  /// one. `scenario` writes the scenario with so many per host; the search begins at `guess`.
  [[nodiscard]] Result<std::vector<double>> most_per_host(
      const std::function<base::Json(double)>& scenario, const std::string& name,
      const CalibrationProfile* profile, const std::string& metric, double bar, double guess);

 private:
  SimulateOptions options_;
};

/// Median of `draws` with the interval that holds nine in ten, widened by `model`, half a width on
/// the error scale of its unit (odds for shares, factors for all else). REQUIRES: not empty.
[[nodiscard]] PredictedFigure figure_of(std::vector<double> draws, const std::string& unit,
                                        double model);

}  // namespace stallcast::calibration::mlperf
