#pragma once

namespace stallcast::calibration {

/// One of several ranks that meet at the end of every step.
struct OneOfMany {
  double mean = 0.0;
  double variation = 0.0;  ///< standard deviation over mean, lognormal
};

/// One of `ranks` independent ranks whose slowest has this mean and this variation: the mean and
/// the spread of the logarithm of the slowest are those of the largest of so many normal values.
[[nodiscard]] OneOfMany one_of_slowest(double mean, double variation, double ranks);

}  // namespace stallcast::calibration
