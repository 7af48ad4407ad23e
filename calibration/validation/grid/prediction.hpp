#pragma once

#include <string>
#include <vector>

#include "calibration/validation/grid/probe_files.hpp"
#include "calibration/validation/grid/row.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "stallcast/row_validation.hpp"

/// Rows of a grid, simulated with draws of what the probes leave open.
namespace stallcast::calibration::grid {

/// Simulations of a row: their median is what is said, the rest its interval.
inline constexpr int kDraws = 20;

/// Fills `predicted` and `baselines` of one row after the other. Faults of the probes go to
/// `diagnostics`; then the failure is bad_input.
/// REQUIRES: every row's store and format are in `probes`.
[[nodiscard]] Result<std::vector<PredictedRow>> predict_rows(const std::vector<GridRow>& rows,
                                                             const ProbeFiles& probes,
                                                             const predict::PredictOptions& options,
                                                             Diagnostics& diagnostics);

/// Median of `draws` with its 90 % interval: 5 and 95 % quantile of the draws, and `runs`, what
/// runs of one configuration differ by (standard deviation of the logarithm), added as independent
/// errors are.                                                  [docs/calibration-grid.md, eq. 17]
[[nodiscard]] PredictedFigure figure_of(std::vector<double> draws, double runs);

/// Simpler methods: the bandwidth ratio, and the smallest of the rates of fetching, decoding and
/// training. Metrics "au" and "step_ms".
[[nodiscard]] std::map<std::string, std::map<std::string, double>> baselines(
    const GridRow& row, const ProbeFiles& probes);

}  // namespace stallcast::calibration::grid
