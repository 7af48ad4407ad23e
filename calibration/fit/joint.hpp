#pragma once

#include <optional>
#include <span>

#include "calibration/fit/fit.hpp"
#include "stallcast/measurement.hpp"

/// Fits of what single series do not show: reads and writes together, and writes that slow down.
/// Equations: docs/calibration.md.
namespace stallcast::calibration::fit {

/// Reads and writes on one device. Either both wait in one line, so that a mix of n operations
/// takes R = c (p R_read(n) + (1 - p) R_write(n)) with p the share of reads; c = 1 means they do
/// not disturb each other beyond that.                                [docs/calibration.md, eq. 8]
/// Or each way has a line of its own (limits of volumes), and n in flight are in one or the other:
/// the closed network of both.                                                         [eq. 14]
///   accepted  lines of their own hold within 10 % in the median, and better than one line
///   accepted  c = 1 holds within 10 % in the median, and is used
///   usable    it does within 25 % with the fitted c, or with 1 where that is less
///   refused   the median is above 25 % even so, or there are fewer than 2 mixes
/// nullopt when nothing mixed was measured, or `read` or `write` follow no law.
[[nodiscard]] std::optional<Fit> fit_mixes(std::span<const MeasurementSet> sets, const Fit& read,
                                           const Fit& write, const FitOptions& options);

/// Bars for a change of the write rate.
inline constexpr std::size_t kLeastPhase = 10;  ///< seconds on each side of a change
inline constexpr std::size_t kPlateau = 30;     ///< seconds of the second rate
inline constexpr double kLeastDrop = 1.2;       ///< first rate over the second

/// The longest watched write: B1 until a buffer of C is full that drains at B2 meanwhile, then B2,
/// by the split of its seconds with the least squared error.     [eq. 9]
///   accepted  the second rate was held for 30 s
///   usable    shorter: then B2 is what was seen last, and may fall further
///   refused   no change: C is at least what was written
/// nullopt when no write was watched for 20 s or more.
[[nodiscard]] std::optional<Fit> fit_phases(std::span<const MeasurementSet> sets,
                                            const FitOptions& options);

}  // namespace stallcast::calibration::fit
