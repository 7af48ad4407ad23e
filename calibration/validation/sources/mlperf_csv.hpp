#pragma once

#include "calibration/measure/csv.hpp"
#include "calibration/validation/sources/source.hpp"

/// Rows of the MLPerf Storage rounds.                               [docs/validation-mlperf.md]
namespace stallcast::calibration {

/// Either layout, told apart by its columns: that of v3.0 has "kind".
[[nodiscard]] Result<RowValidation> predict_mlperf(const std::string& text, const std::string& file,
                                                   const SourceOptions& options,
                                                   Diagnostics& diagnostics);

/// The layout of v1.0: training rows, each calibrated by the row that `calibration_case` names.
/// With `options.simulate`, rows of workloads that the simulator can follow get "au_simulated" and
/// "first_step_s_simulated", too.
[[nodiscard]] Result<RowValidation> predict_mlperf_v1(const CsvTable& table,
                                                      const SourceOptions& options,
                                                      Diagnostics& diagnostics);

/// The layout of v3.0 on Lustre: training and checkpoint rows, nothing calibrated.
[[nodiscard]] Result<RowValidation> predict_mlperf_v3(const CsvTable& table,
                                                      Diagnostics& diagnostics);

}  // namespace stallcast::calibration
