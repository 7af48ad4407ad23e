#include "engine/decide/uncertain/prior.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

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

bool is_share(const Value& value) {
  return value.dimension == Dimension::ratio && value.number >= 0.0 && value.number <= 1.0 &&
         value.range->low >= 0.0 && value.range->high <= 1.0;
}

Shape shape_of(const Value& value) {
  const Range& range = *value.range;
  if (!(range.low < range.high)) return Shape::linear;
  const bool factors = value.number > 0.0 && range.low > 0.0 && !is_share(value);
  if (value.number >= range.high) return factors ? Shape::ceiling : Shape::shortfall;
  if (value.number <= range.low) return factors ? Shape::floor : Shape::cost;
  if (is_share(value)) return Shape::logit_normal;
  return factors ? Shape::lognormal : Shape::linear;
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
  if (prior.shape == Shape::logit_normal) {
    if (prior.low == 0.0) prior.low = kEdge * value.number;
    if (prior.high == 1.0) prior.high = 1.0 - kEdge * (1.0 - value.number);
  }
  switch (prior.shape) {
    case Shape::ceiling:
    case Shape::floor:
    case Shape::shortfall:
    case Shape::cost: {
      Prior exact = prior;  // neither rounded nor limited
      exact.whole = false;
      exact.minimum = -std::numeric_limits<double>::infinity();
      exact.maximum = std::numeric_limits<double>::infinity();
      prior.median = quantile(exact, 0.5);
      break;
    }
    default:
      prior.median = prior.low < prior.high ? value.number : prior.low;
  }
  return prior;
}

Prior prior_of_draws(std::vector<double> draws, bool whole) {
  assert(!draws.empty());
  std::sort(draws.begin(), draws.end());
  Prior prior;
  prior.shape = Shape::draws;
  prior.whole = whole;
  prior.low = draws.front();
  prior.high = draws.back();
  const double n = static_cast<double>(draws.size());
  for (std::size_t i = 0; i < draws.size();) {
    std::size_t end = i;
    while (end < draws.size() && draws[end] == draws[i]) ++end;
    prior.values.push_back(draws[i]);
    prior.at.push_back(static_cast<double>(i + end) / (2.0 * n));
    i = end;
  }
  prior.median = quantile(prior, 0.5);
  return prior;
}

double quantile_at(const Prior& prior, double draw) {
  const auto found = std::lower_bound(prior.values.begin(), prior.values.end(), draw);
  assert(found != prior.values.end() && *found == draw);
  return prior.at[static_cast<std::size_t>(found - prior.values.begin())];
}

double quantile(const Prior& prior, double u) {
  assert(u > 0.0 && u < 1.0);
  // Of the range, beginning with the likely end; 1 at the other.
  const double missing = std::log(u) / std::log(kTail);
  const double added = std::log1p(-u) / std::log(kTail);
  switch (prior.shape) {
    case Shape::ceiling:
      return limited(prior, prior.high * std::pow(prior.low / prior.high, missing));
    case Shape::floor:
      return limited(prior, prior.low * std::pow(prior.high / prior.low, added));
    case Shape::shortfall:
      return limited(prior, prior.high - (prior.high - prior.low) * missing);
    case Shape::cost:
      return limited(prior, prior.low + (prior.high - prior.low) * added);
    case Shape::draws: {
      const auto above = std::upper_bound(prior.at.begin(), prior.at.end(), u);
      if (above == prior.at.begin()) return prior.values.front();
      if (above == prior.at.end()) return prior.values.back();
      const auto i = static_cast<std::size_t>(above - prior.at.begin());
      const double part = (u - prior.at[i - 1]) / (prior.at[i] - prior.at[i - 1]);
      return limited(prior, prior.values[i - 1] + part * (prior.values[i] - prior.values[i - 1]));
    }
    default:
      break;
  }
  const double end = to_scale(prior.shape, u < 0.5 ? prior.low : prior.high);
  const double middle = to_scale(prior.shape, prior.median);
  static const double kReach = -base::normal_quantile(kTail);      // 1.645 standard deviations
  const double way = std::abs(base::normal_quantile(u)) / kReach;  // 1 at the end of the range
  return limited(prior, from_scale(prior.shape, middle + way * (end - middle)));
}

}  // namespace stallcast::uncertain
