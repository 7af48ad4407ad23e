#pragma once

#include <span>
#include <vector>

/// What fits, probes and error tables take from lists of figures.
namespace stallcast::calibration {

/// What is predicted within this factor of what was measured is near: from 16.7 % too low to 20 %
/// too high.
inline constexpr double kNearFactor = 1.2;

/// REQUIRES: not empty.
[[nodiscard]] double mean(std::span<const double> values);
/// Median; the mean of the middle two of an even number. REQUIRES: not empty.
[[nodiscard]] double median(std::vector<double> values);
/// Linear between order statistics. REQUIRES: not empty, 0 <= p <= 1.
[[nodiscard]] double quantile(std::vector<double> values, double p);

}  // namespace stallcast::calibration
