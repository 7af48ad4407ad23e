#pragma once

#include "calibration/fit/fit.hpp"

/// What sweeps of one depth, or of one size, say of a device.   [docs/calibration.md, One axis]
namespace stallcast::calibration::fit {

/// Makes of `fit`, of reads or writes at one depth or of one size, the line (eq. 4) that gives back
/// what was measured, with what it leaves open as a reason: usable at best. Other fits stay.
void as_line(Fit& fit, const FitSeries& series, const FitOptions& options);

}  // namespace stallcast::calibration::fit
