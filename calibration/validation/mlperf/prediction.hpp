#pragma once

#include <optional>

#include "calibration/validation/mlperf/system_fit.hpp"
#include "stallcast/row_validation.hpp"

/// What is said of one row.
namespace stallcast::calibration::mlperf {

struct RowPrediction {
  Supply supply;
  PredictedFigure accelerators;  ///< searched; reads no count of the row
  /// Only where the row states its accelerators:
  std::optional<PredictedFigure> au;          ///< given that the row was published       [eq. 18]
  std::optional<PredictedFigure> au_raw;      ///< the law's own, for a design nobody ran
  std::optional<PredictedFigure> first_step;  ///< s
};

/// Figures of a simulated row, with the intervals of the law's own.
struct Simulated {
  PredictedFigure au, first_step;
};
[[nodiscard]] Simulated with_intervals(const Submission& row, bool calibrated, double au,
                                       Seconds first_step);

/// `fit`: of the row that calibrates this one; nullopt: data sheets, with wider intervals.
[[nodiscard]] RowPrediction predict(const Submission& row, const std::optional<SystemFit>& fit);

}  // namespace stallcast::calibration::mlperf
