#pragma once

#include <map>
#include <span>
#include <string>

#include "calibration/validation/mlperf/submission.hpp"

/// What simpler methods say of a row.
namespace stallcast::calibration::mlperf {

/// Baseline -> metric -> value:
/// "constant": the mean AU of the workload's rows of other systems.
/// "bandwidth ratio": AU = min(1, rate / demand) with the delivered rate of the calibration row,
///   per host, below what the data sheets give; accelerators = rate / demand of one at the bar;
///   first step = what lies in the queues / rate.
/// "data sheet": the same with the data sheets' rate alone.
/// `calibration` is nullptr where there is none. Entries without a basis are left out.
[[nodiscard]] std::map<std::string, std::map<std::string, double>> baselines(
    const Submission& row, const Submission* calibration, std::span<const Submission> all);

/// Whether `row` shows how many accelerators its system supports: as the table says, else the
/// largest number of its system with an AU near the bar.
[[nodiscard]] bool shows_limit(const Submission& row, std::span<const Submission> all);

}  // namespace stallcast::calibration::mlperf
