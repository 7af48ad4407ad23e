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

/// What luck may make of that logarithm. Where few histories make most of the difference the error
/// says too little: what none of n met may come in three of them (in 19 of 20 samples), so the
/// worst that was met is taken to come once more for each error.
[[nodiscard]] inline double noise_between(const Histories& before, const Histories& after) {
  constexpr double kErrors = 3.0;  // of 36 that are tried chance makes one in a report of twenty
  double worst = 0.0;
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i)
    worst = std::max(worst, std::abs((i < after.size() ? after[i] : 0.0) -
                                     (i < before.size() ? before[i] : 0.0)));
  return kErrors * (error_between(before, after) + worst);
}

}  // namespace stallcast
