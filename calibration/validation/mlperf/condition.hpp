#pragma once

#include "stallcast/row_validation.hpp"
#include "stallcast/units.hpp"

/// What it says of an AU that its row was published: results below the bar are not.
namespace stallcast::calibration::mlperf {

/// The lost share x = 1/AU - 1 with a normal error `sd` of its logarithm.              [eq. 18]
[[nodiscard]] PredictedFigure spread_utilization(double au, double sd);

/// AU given that it is at least `bar`: among published results u = ln(x_bar / x) >= 0 is
/// exponential with mean `kMeanMargin`; the law's own u is normal with spread `sd_centre` for the
/// value (the median) and `sd` for the interval (5 and 95 % quantiles). Right for rows known to be
/// published results; a design that was never run takes the law's figure as it is.         [eq. 18]
[[nodiscard]] PredictedFigure given_published(double au, Fraction bar, double sd_centre, double sd);

}  // namespace stallcast::calibration::mlperf
