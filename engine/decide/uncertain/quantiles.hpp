#pragma once

#include <cstddef>
#include <vector>

namespace stallcast::uncertain {

/// Standard deviations of a normal to its 95 % quantile.
inline constexpr double kStandardNine = 1.6448536269514722;

/// The p-quantile of sorted values, the i-th of which is at (i + 1/2) / n.
/// REQUIRES: not empty.
[[nodiscard]] inline double quantile_of(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size()) - 0.5;
  if (at <= 0.0) return sorted.front();
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

}  // namespace stallcast::uncertain
