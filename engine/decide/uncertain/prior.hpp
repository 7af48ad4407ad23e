#pragma once

#include <limits>

#include "stallcast/design.hpp"

/// What is known about the inputs of a simulation, drawn from, and what its outcomes owe to each.
namespace stallcast::uncertain {

/// The distribution of a value that has a range, in the base unit of the value. Normal in two
/// pieces on the scale of `shape`, one piece below the median and one above: 5 % lie below `low`,
/// half below `median`, 5 % above `high`, before counts are rounded and limits kept.
struct Prior {
  enum class Shape {
    lognormal,     ///< normal in ln x; 0 < low
    logit_normal,  ///< normal in ln(x / (1 - x)); 0 < low, high < 1
    linear,        ///< normal in x
    exponential    ///< 0 is the likeliest, 5 % lie above `high`: a cost that is left out
  };

  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
  Shape shape = Shape::linear;
  bool whole = false;                                         ///< a count
  double minimum = -std::numeric_limits<double>::infinity();  ///< what a valid scenario may have
  double maximum = std::numeric_limits<double>::infinity();
};

/// The prior of `value`, whose field takes `minimum` to `maximum`.
///
/// - A share (a ratio whose number and range are in 0..1) is logit-normal, any other positive value
///   lognormal, and linear is what may be 0 or less. What is 0 and ranges from 0 is exponential.
/// - The number is the median where it lies inside the range. A number that is an end of it is a
///   ceiling or a floor: the median is then the middle of the range on the scale of the shape.
/// - A share's end of 0 or 1, which is infinitely far off on that scale, is replaced by one 10^-4
///   of the way to the number.
/// - Counts are whole, and at least 1 where the number is.
///
/// REQUIRES: `value` is a number and has a range with low <= high; minimum <= maximum.
[[nodiscard]] Prior prior_of(const Value& value, double minimum, double maximum);

/// The value below which a part `u` of the prior lies; rises with `u`. REQUIRES: 0 < u < 1.
[[nodiscard]] double quantile(const Prior& prior, double u);

}  // namespace stallcast::uncertain
