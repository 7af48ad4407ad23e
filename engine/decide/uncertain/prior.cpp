#include "engine/decide/uncertain/prior.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/base/random.hpp"

namespace stallcast::uncertain {
namespace {

using Shape = Prior::Shape;

constexpr double kTail = 0.05;  // of a range, on each side
constexpr double kEdge = 1e-4;  // how close to 0 and 1 a share's range begins

double to_scale(Shape shape, double x) {
  if (shape == Shape::lognormal) return std::log(x);
  if (shape == Shape::logit_normal) return std::log(x) - std::log1p(-x);
  return x;
}

double from_scale(Shape shape, double t) {
  if (shape == Shape::lognormal) return std::exp(t);
  if (shape == Shape::logit_normal) return 1.0 / (1.0 + std::exp(-t));
  return t;
}

/// The exponential law whose 95 % quantile is `high`.
double exponential_quantile(double high, double u) {
  return high * std::log1p(-u) / std::log(kTail);
}

bool is_share(const Value& value) {
  return value.dimension == Dimension::ratio && value.number >= 0.0 && value.number <= 1.0 &&
         value.range->low >= 0.0 && value.range->high <= 1.0;
}

Shape shape_of(const Value& value) {
  const Range& range = *value.range;
  if (!(range.low < range.high)) return Shape::linear;
  if (value.number == 0.0 && range.low == 0.0) return Shape::exponential;
  if (is_share(value)) return Shape::logit_normal;
  return value.number > 0.0 && range.low > 0.0 ? Shape::lognormal : Shape::linear;
}

double limited(const Prior& prior, double x) {
  const double inside = std::clamp(x, prior.minimum, prior.maximum);
  return prior.whole ? std::round(inside) : inside;
}

}  // namespace

Prior prior_of(const Value& value, double minimum, double maximum) {
  assert(value.range && value.range->low <= value.range->high && minimum <= maximum);
  Prior prior{.low = value.range->low,
              .high = value.range->high,
              .shape = shape_of(value),
              .whole = value.dimension == Dimension::count,
              .minimum = minimum,
              .maximum = maximum};
  if (prior.whole) {
    prior.minimum = std::ceil(value.number >= 1.0 ? std::max(1.0, minimum) : minimum);
    prior.maximum = std::max(prior.minimum, std::floor(maximum));
  }
  if (prior.shape == Shape::exponential) {
    prior.low = exponential_quantile(prior.high, kTail);
    prior.median = exponential_quantile(prior.high, 0.5);
    return prior;
  }
  const bool inside = prior.low < value.number && value.number < prior.high;
  if (prior.shape == Shape::logit_normal) {
    const double from_0 = inside ? value.number : prior.high;
    const double from_1 = 1.0 - (inside ? value.number : prior.low);
    if (prior.low == 0.0) prior.low = kEdge * from_0;
    if (prior.high == 1.0) prior.high = 1.0 - kEdge * from_1;
  }
  prior.median =
      inside ? value.number
             : from_scale(
                   prior.shape,
                   (to_scale(prior.shape, prior.low) + to_scale(prior.shape, prior.high)) / 2.0);
  return prior;
}

double quantile(const Prior& prior, double u) {
  assert(u > 0.0 && u < 1.0);
  if (prior.shape == Shape::exponential) return limited(prior, exponential_quantile(prior.high, u));
  const double end = to_scale(prior.shape, u < 0.5 ? prior.low : prior.high);
  const double middle = to_scale(prior.shape, prior.median);
  static const double kReach = -base::normal_quantile(kTail);      // 1.645 standard deviations
  const double way = std::abs(base::normal_quantile(u)) / kReach;  // 1 at the end of the range
  return limited(prior, from_scale(prior.shape, middle + way * (end - middle)));
}

}  // namespace stallcast::uncertain
