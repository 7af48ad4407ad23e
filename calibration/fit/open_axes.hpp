#pragma once

#include "calibration/fit/fit.hpp"

namespace stallcast::calibration::fit {

/// That `series` has too few sizes and depths for any law, and how many do.
[[nodiscard]] std::string too_few(const FitSeries& series);

/// What to add to two sizes at two depths, of which none lies between others that would tell it; ""
/// of all other series.
[[nodiscard]] std::string only_corners(const FitSeries& series);

/// Where `fit` is of storage that was measured at one depth, at one size or at no small depth: what
/// the cells leave open becomes parameters that each draw takes anew, so that what was measured
/// comes back and what was not is unsure; and a doubt where there is one depth or one size, else
/// for each parameter that is not decided.
void leave_open(Fit& fit, const FitSeries& series, const FitOptions& options);

}  // namespace stallcast::calibration::fit
