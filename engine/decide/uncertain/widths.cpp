#include "engine/decide/uncertain/widths.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::uncertain {

Interval Widths::with(Interval inputs, double times) const {
  const double half = more * times;
  if (half == 0.0) return inputs;
  const double middle = scale.to(median);
  // Never narrower than what the draws gave, not by a rounding either.
  const double below = scale.from(middle - std::hypot(middle - scale.to(inputs.low), half)),
               above = scale.from(middle + std::hypot(scale.to(inputs.high) - middle, half));
  return {std::min(inputs.low, std::max(below, least)),
          std::min(std::max(inputs.high, above), most)};
}

Interval Widths::left_of(Interval inputs, double left) const {
  const double middle = scale.to(median), kept = std::sqrt(std::clamp(left, 0.0, 1.0));
  const auto nearer = [&](double end) {
    // The scale and back rounds.
    return kept == 0.0 ? median : scale.from(middle + kept * (scale.to(end) - middle));
  };
  return with({nearer(inputs.low), nearer(inputs.high)});
}

}  // namespace stallcast::uncertain
