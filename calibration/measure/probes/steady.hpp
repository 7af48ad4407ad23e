#pragma once

#include <span>
#include <vector>

/// Whether a rate has settled.
namespace stallcast::calibration::probing {

/// SNIA's rule on the last five rounds: no round is off the mean by more than 20 % of it peak to
/// peak, and the line through them moves by at most 10 % of it. False for fewer than five.
/// (SNIA Solid State Storage Performance Test Specification 2.0.2, section 2.1.24)
[[nodiscard]] bool steady(std::span<const double> rounds);

/// Means of the whole groups of `size` values.
[[nodiscard]] std::vector<double> rounds_of(std::span<const double> values, std::size_t size);

/// Mean of the first `n` values over the mean of the last `n`: above 1 where a device has spent
/// credits, or a cache is full. 1 for fewer than 2 n values.
[[nodiscard]] double first_over_last(std::span<const double> values, std::size_t n);

}  // namespace stallcast::calibration::probing
