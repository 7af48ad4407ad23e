#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/prediction.hpp"

/// How sure a prediction is, in words that text and pages share.
namespace stallcast::report {

/// "middle 93.9 %; inputs 91.3 % to 94.8 %, seeds 94.4 % to 94.6 %": what the interval of `metric`
/// is made of; "" without draws.
[[nodiscard]] std::string parts_phrase(const Prediction& prediction, const std::string& metric);

/// An input that is worth measuring.
struct MeasureRow {
  std::string input;  ///< "storage[scratch].ost.write"
  std::string share;  ///< of the spread: "71 %"
  std::string range;  ///< "4 GB/s, may be 2 GB/s to 8 GB/s"
  std::string gain;   ///< "known, 92.1 % to 94.0 % would remain"
  std::string with;   ///< "stallcast probe io"; may be ""
};

/// The figure whose spread matters most: that of the target least decided, else the utilization of
/// the first job that has shares; "" without any.
[[nodiscard]] std::string figure_to_settle(const Prediction& prediction);

/// What to measure first to know `metric` better, most first.
[[nodiscard]] std::vector<MeasureRow> measure_first(const Prediction& prediction,
                                                    const std::string& metric);

/// "64 draws of 45 inputs, each from what it may be in truth; ..."
[[nodiscard]] std::string draws_phrase(const Prediction& prediction);

/// "holds in 71 of 100 cases"; "" without draws.
[[nodiscard]] std::string probability_phrase(const AssertionOutcome& outcome);

}  // namespace stallcast::report
