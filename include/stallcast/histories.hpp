#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// How far luck may have moved the difference of two designs that met the same failures.
/// docs/models/blame.md, equation 2.
namespace stallcast {

/// What groups of histories add to a mean over all of them, relative to it: they sum to 0. Group i
/// has every n-th history from number i on, the same failures in each design. Empty: no history was
/// walked.
using Histories = std::vector<double>;
inline constexpr std::size_t kHistoryGroups = 64;

/// Standard error of the logarithm of how many times the one mean is the other.
[[nodiscard]] inline double error_between(const Histories& before, const Histories& after) {
  const std::size_t n = std::max(before.size(), after.size());
  if (n < 2) return 0.0;
  const auto at = [](const Histories& groups, std::size_t i) {
    return i < groups.size() ? groups[i] : 0.0;
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += std::pow(at(after, i) - at(before, i), 2.0);
  return std::sqrt(sum * static_cast<double>(n) / static_cast<double>(n - 1));
}

}  // namespace stallcast
