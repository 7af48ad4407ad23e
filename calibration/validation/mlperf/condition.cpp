#include "calibration/validation/mlperf/condition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/random.hpp"

namespace stallcast::calibration::mlperf {
namespace {

/// Mean of ln(x_bar / x) over the published results of v1.0.
constexpr double kMeanMargin = 0.5;
constexpr double kLow = 0.05, kHigh = 0.95;
/// Keeps an AU of 1 out of the logarithm.
constexpr double kLeastLoss = 1e-9;
/// Mass below which the normal's tail is taken as an exponential.
constexpr double kTail = 1e-9;

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2.0; }

double lost_share(double au) { return std::max(1.0 / au - 1.0, kLeastLoss); }

/// Quantile `p` of AU. Density of u ~ normal(u; u_law, sd) exp(-u / tau) for u >= 0, which is a
/// normal with mean u_law - sd^2 / tau cut at 0.
double quantile(double au, double bar, double sd, double p) {
  const double loss_at_bar = 1.0 / bar - 1.0;
  const double mean = std::log(loss_at_bar / lost_share(au)) - sd * sd / kMeanMargin;
  const double above = normal_below(mean / sd);
  const double u = above < kTail ? std::log(1.0 - p) * sd * sd / mean
                                 // The upper tail's quantile: exact where the cut takes nearly all.
                                 : mean - sd * base::normal_quantile((1.0 - p) * above);
  return 1.0 / (1.0 + loss_at_bar * std::exp(-u));
}

}  // namespace

PredictedFigure spread_utilization(double au, double sd) {
  const double reach = sd * base::normal_quantile(kHigh), loss = lost_share(au);
  return {au, 1.0 / (1.0 + loss * std::exp(reach)), 1.0 / (1.0 + loss * std::exp(-reach))};
}

PredictedFigure given_published(double au, Fraction bar, double sd_centre, double sd) {
  const double b = bar.in(unit::ratio);
  return {quantile(au, b, sd_centre, 0.5), quantile(au, b, sd, kLow), quantile(au, b, sd, kHigh)};
}

}  // namespace stallcast::calibration::mlperf
