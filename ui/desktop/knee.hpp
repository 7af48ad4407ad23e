#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace stallcast::desktop {

/// Why a curve has no knee.
enum class NoKnee {
  none,     ///< it has one
  few,      ///< less than kKneePoints points
  flat,     ///< the metric moves by less than kKneeMove of its largest value
  straight  ///< no point is farther than kKneeDistance from the chord
};

constexpr std::size_t kKneePoints = 4;
constexpr double kKneeMove = 0.005;
constexpr double kKneeDistance = 0.1;

/// Where a curve bends. docs/guide/explorer.md, "The knee".
struct Knee {
  std::optional<std::size_t> at;  ///< index of the point
  double distance = 0.0;          ///< from the chord, both axes scaled to 0..1
  NoKnee why_not = NoKnee::none;
};

/// Of the points of `curve` (by rising x) the one farthest from the chord between its ends, both
/// axes scaled to 0..1 over the curve; x by its logarithm with `logarithmic`, which REQUIRES x > 0.
[[nodiscard]] Knee knee_of(std::span<const std::pair<double, double>> curve, bool logarithmic);

}  // namespace stallcast::desktop
