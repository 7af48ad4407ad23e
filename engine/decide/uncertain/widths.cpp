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
  const bool lucky = luck_below > 0.0 || luck_above > 0.0;
  const double middle = scale.to(median), from = lucky ? scale.to(centre) : middle,
               kept = std::sqrt(std::clamp(left, 0.0, 1.0));
  const auto nearer = [&](double end, double luck) {
    // The scale and back rounds.
    if (kept == 0.0 && luck == 0.0) return median;
    const double side = kept == 0.0 ? 0.0 : kept * (scale.to(end) - from);
    return scale.from(middle + (luck == 0.0 ? side : std::copysign(std::hypot(side, luck), luck)));
  };
  return with({nearer(inputs.low, -luck_below), nearer(inputs.high, luck_above)});
}

}  // namespace stallcast::uncertain
