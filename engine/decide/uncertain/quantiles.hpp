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

/// From so many draws on their own quantiles are the ends; of fewer these are too rough.
inline constexpr std::size_t kOwnQuantiles = 64;

/// The p-quantile of sorted values: of few, of two halves of normal distributions that begin at the
/// median, each as wide as the values on its side are, by least squares over their normal scores.
/// REQUIRES: as quantile_of.  [docs/models/uncertainty.md, eq. 2]
[[nodiscard]] inline double end_of(const std::vector<double>& sorted, double p) {
  if (sorted.size() >= kOwnQuantiles || p == 0.5) return quantile_of(sorted, p);
  const double middle = quantile_of(sorted, 0.5), n = static_cast<double>(sorted.size());
  double product = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double score = base::normal_quantile((static_cast<double>(i) + 0.5) / n);
    if ((score < 0.0) != (p < 0.5)) continue;
    product += score * (sorted[i] - middle);
    squares += score * score;
  }
  return squares > 0.0 ? middle + base::normal_quantile(p) * product / squares : middle;
}

/// For each of kLevels what `interval` makes of the two quantiles that so many lie between, and of
/// what a normal's half width there is, over that at nine in ten. `quantile(p)` gives them.
template <class Quantile, class MakeInterval>
[[nodiscard]] LevelIntervals by_level_of(const Quantile& quantile, const MakeInterval& interval) {
  LevelIntervals out;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const double outside = (1.0 - kLevels[i]) / 2.0;
    out[i] = interval(quantile(outside), quantile(1.0 - outside),
                      base::normal_quantile(1.0 - outside) / kStandardNine);
  }
  return out;
}

/// The same of the values' own quantiles. REQUIRES: as quantile_of.
template <class MakeInterval>
[[nodiscard]] LevelIntervals by_level(const std::vector<double>& sorted,
                                      const MakeInterval& interval) {
  return by_level_of([&](double p) { return quantile_of(sorted, p); }, interval);
}

}  // namespace stallcast::uncertain
