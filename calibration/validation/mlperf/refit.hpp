#pragma once

#include <array>
#include <map>
#include <span>
#include <string>

#include "calibration/validation/mlperf/prediction.hpp"

/// The constants of the step law fitted again: what they would be without the system that is
/// predicted with them.                                              [docs/validation-mlperf.md]
namespace stallcast::calibration::mlperf {

/// A set of constants: the workloads in the order of `workloads()`.
using Constants = std::array<Workload, 3>;

/// Least robust misfit of AU (in 3 points) and of ln N (in 0.15) over the rows that do not
/// calibrate, starting from the constants in use; `without`: rows with this `calibration` are left
/// out. Structure (exponents 1/2, 1/4 and 4, shares of NICs, the order statistics) stays. [eq. 24]
[[nodiscard]] Constants refit(std::span<const Submission> rows, const std::string& without);

/// Predictions of all rows with constants that know nothing of their system, by case; empty when
/// the table has too few systems with results to do that.
[[nodiscard]] std::map<std::string, RowPrediction> leave_one_out(std::span<const Submission> rows);

/// Whether `row` shows how many accelerators its system supports: as the table says, else the
/// largest number of its system with an AU near the bar.
[[nodiscard]] bool shows_limit(const Submission& row, std::span<const Submission> all);

}  // namespace stallcast::calibration::mlperf
