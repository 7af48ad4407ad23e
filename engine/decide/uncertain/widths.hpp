#pragma once

#include <cstddef>
#include <limits>

#include "engine/decide/uncertain/scale.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/uncertainty.hpp"

namespace stallcast::uncertain {

/// What inputs, luck, seeds and model make together of a figure: independent of each other, so
/// their half widths around the median add as squares.  [docs/models/uncertainty.md, eq. 4]
struct Widths {
  ErrorScale scale;
  double median = 0.0;
  double more = 0.0;  ///< half width of seeds and model together, on the scale
  double least = -std::numeric_limits<double>::infinity();  ///< no outcome is below,
  double most = std::numeric_limits<double>::infinity();    ///< or above
  double luck_below = 0.0, luck_above = 0.0;  ///< what luck does to either side, on the scale
  double centre = 0.0;                        ///< where there is luck: median of draws without it

  /// Of inputs and luck that leave `inputs`, and `times` of all else.
  [[nodiscard]] Interval with(Interval inputs, double times = 1.0) const;
  /// Of nine in ten, where only a share `left` of what the inputs do to the variance is.
  [[nodiscard]] Interval left_of(Interval inputs, double left) const;
};

/// Half width of single runs on the scale, from the interval of the mean of `replicas`.  [eq. 3]
[[nodiscard]] double seeds_half(const Metric& metric, std::size_t replicas,
                                const ErrorScale& scale);

}  // namespace stallcast::uncertain
