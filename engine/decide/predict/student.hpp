#pragma once

#include <optional>
#include <span>
#include <utility>

namespace stallcast::predict {

/// Arithmetic mean. REQUIRES: `values` is not empty.
[[nodiscard]] double mean(std::span<const double> values);

/// Two-sided 95 % interval of the mean of normally distributed values: mean -+ t * s / sqrt(n)
/// with t of Student's distribution with n - 1 degrees of freedom. None for fewer than two values.
[[nodiscard]] std::optional<std::pair<double, double>> interval95(std::span<const double> values);

}  // namespace stallcast::predict
