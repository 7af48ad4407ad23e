#include "engine/decide/uncertain/widths.hpp"

#include <algorithm>
#include <cmath>

#include "engine/decide/uncertain/quantiles.hpp"

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

double seeds_half(const Metric& metric, std::size_t replicas, const ErrorScale& scale) {
  if (!metric.ci95 || replicas < 2) return 0.0;
  if (scale.kind == ErrorScale::Kind::factors && metric.value <= 0.0) return 0.0;
  const double half = (metric.ci95->second - metric.ci95->first) / 2.0 * scale.slope(metric.value);
  // The interval of the mean is t s / sqrt(n), that of one more run t s sqrt(1 + 1/n).
  return half * std::sqrt(static_cast<double>(replicas) + 1.0) * kStandardNine / 1.959963984540054;
}

}  // namespace stallcast::uncertain
