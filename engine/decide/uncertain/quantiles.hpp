#pragma once

#include <cstddef>
#include <vector>

#include "engine/base/random.hpp"
#include "stallcast/uncertainty.hpp"

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

/// For each of kLevels what `interval` makes of the two quantiles that so many lie between, and of
/// what a normal's half width there is, over that at nine in ten. REQUIRES: as quantile_of.
template <class MakeInterval>
[[nodiscard]] LevelIntervals by_level(const std::vector<double>& sorted,
                                      const MakeInterval& interval) {
  LevelIntervals out;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const double outside = (1.0 - kLevels[i]) / 2.0;
    out[i] = interval(quantile_of(sorted, outside), quantile_of(sorted, 1.0 - outside),
                      base::normal_quantile(1.0 - outside) / kStandardNine);
  }
  return out;
}

}  // namespace stallcast::uncertain
