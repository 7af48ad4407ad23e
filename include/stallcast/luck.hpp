#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

/// What luck makes of a figure in single runs. docs/models/uncertainty.md, equation 15.
namespace stallcast {

/// Quantiles of a figure over its value, the i-th at (i + 1/2) / n; empty: it has none.
using Luck = std::vector<double>;
inline constexpr std::size_t kLuckyQuantiles = 64;

/// Of samples of a figure of this value. REQUIRES: not empty; value > 0.
[[nodiscard]] inline Luck luck_of(std::vector<double> samples, double value) {
  std::sort(samples.begin(), samples.end());
  Luck out;
  for (std::size_t i = 0; i < kLuckyQuantiles; ++i)
    out.push_back(samples[(2 * i + 1) * samples.size() / (2 * kLuckyQuantiles)] / value);
  return out;
}

}  // namespace stallcast
