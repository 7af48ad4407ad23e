#pragma once

#include <limits>
#include <vector>

#include "stallcast/design.hpp"

/// What is known about the inputs of a simulation, drawn from, and what its outcomes owe to each.
namespace stallcast::uncertain {

/// The distribution of a value that has a range, in the base unit of the value, before counts are
/// rounded and limits kept. Of the first three shapes 5 % lie below `low`, half below `median`, 5 %
/// above `high`: normal in two pieces on a scale, one piece below the median and one above. Of the
/// others one end of the range is the likeliest, and 5 % lie beyond the other end.
struct Prior {
  enum class Shape {
    lognormal,     ///< normal in ln x; 0 < low
    logit_normal,  ///< normal in ln(x / (1 - x)); 0 < low, high < 1
    linear,        ///< normal in x
    ceiling,       ///< at most `high`: what is missing, as a factor, is exponential
    floor,         ///< at least `low`: what is added, as a factor, is exponential
    shortfall,     ///< as `ceiling`, what is missing as a difference: shares
    cost,          ///< as `floor`, what is added as a difference: a cost that is left out, shares
    draws          ///< as equally likely draws of it lie, `low` and `high` the outermost
  };

  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
  Shape shape = Shape::linear;
  bool whole = false;                                         ///< a count
  double minimum = -std::numeric_limits<double>::infinity();  ///< what a valid scenario may have
  double maximum = std::numeric_limits<double>::infinity();
  /// Of `draws`: the different ones, rising, and the quantile of each.
  std::vector<double> values = {}, at = {};
};

/// The distribution that `draws` are of, each at the middle of its place among them. Between two
/// quantiles goes evenly, and none is beyond the outermost. REQUIRES: there are some.
[[nodiscard]] Prior prior_of_draws(std::vector<double> draws, bool whole);

/// Where one of the draws lies in it, as a quantile. REQUIRES: `draw` is one of them.
[[nodiscard]] double quantile_at(const Prior& prior, double draw);

/// The prior of `value`, whose field takes `minimum` to `maximum`.
///
/// - A number inside the range is the median. A share (a ratio whose number and range are in 0..1)
///   is then logit-normal, any other positive value lognormal, and linear is what may be 0 or less.
/// - A number that is an end of the range is a ceiling or a floor. With a twentieth beyond the
/// other
///   end, half of what is drawn is within 23 % of the range: of stated rates whose 5 % quantile is
///   83 % the median is 96 %, as measured (docs/models/priors.md, table 1).
/// - A share's end of 0 or 1, which is infinitely far off on that scale, is replaced by one 10^-4
///   of the way to the number.
/// - Counts are whole, and at least 1 where the number is.
///
/// REQUIRES: `value` is a number and has a range with low <= high; minimum <= maximum.
[[nodiscard]] Prior prior_of(const Value& value, double minimum, double maximum);

/// The value below which a part `u` of the prior lies; rises with `u`. REQUIRES: 0 < u < 1.
[[nodiscard]] double quantile(const Prior& prior, double u);

}  // namespace stallcast::uncertain
