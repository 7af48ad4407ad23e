#pragma once

#include <optional>

#include "calibration/validation/mlperf/system_fit.hpp"

namespace stallcast::calibration::mlperf {

/// What the step law says of a row: a baseline, whose constants were fitted to the open rows.
struct LawPrediction {
  double accelerators = 0.0;  ///< searched; reads no count of the row
  /// Only where the row states its accelerators:
  std::optional<double> au;
  std::optional<Seconds> first_step;
};

/// `fit`: of the row that calibrates this one; nullopt: data sheets.
[[nodiscard]] LawPrediction predict_by_law(const Submission& row,
                                           const std::optional<SystemFit>& fit);

}  // namespace stallcast::calibration::mlperf
