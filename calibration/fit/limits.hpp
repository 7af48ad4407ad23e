#pragma once

#include <span>
#include <vector>

#include "calibration/fit/fit.hpp"
#include "stallcast/measurement.hpp"

/// Limiters in front of a device, found by runs after a rest: docs/calibration.md, eq. 13.
namespace stallcast::calibration::fit {

/// Path of the records that were measured after a rest.
inline constexpr std::string_view kRested = "rested";

/// Of reads and of writes that were faster after a rest than under load, "io.read.limit" and
/// "io.write.limit": bytes a second `B`, requests a second `I`, each where records show it; and
/// "io.limit": `T`, what passes at once as time at the limit, by the law "steady" or "slices".
///   accepted  bursts are predicted within 10 % in the median
///   usable    within 25 %, or a longer rest lets more through
///   refused   neither
/// Empty where most runs after a rest were no faster: there is no bucket, or none that shows.
[[nodiscard]] std::vector<Fit> fit_limits(std::span<const MeasurementSet> sets,
                                          const FitOptions& options);

/// The law of a device behind a limiter is usable where one held-out cell in ten is off by up to a
/// factor of two: it only decides times that are short next to what waits for the limiter, and the
/// law under load is that of the limiter.
void accept_rested(Fit& fit);

}  // namespace stallcast::calibration::fit
