#pragma once

#include <vector>

#include "calibration/fit/fit.hpp"

/// What a series says: its law, and the figures that fields take as they are.
namespace stallcast::calibration::fit {

/// Blocks, and batches, from here on show a rate: of smaller ones the calls are most.
inline constexpr Bytes kLeastBlock = Bytes::from(64, unit::KiB);
inline constexpr Bytes kLeastBatch = Bytes::from(1, unit::MiB);
/// Held-out median error from which on a figure is none.
inline constexpr double kNoFigure = 0.25;

/// All fits of `series`. Its law is fit_series; figures are the median of all runs:
///   memory    the law; and ID.one: the rate of one thread over blocks of kLeastBlock and more
///   network   the law; ID.one: its law over size, one message at a time, or the time of the
///             smallest; ID.many: the rate of several in flight, of kLeastBlock and more; ID.core:
///             bytes that one core of this host moves in a second, from the core time recorded
///   gds       the law; ID.one: its law over size of one thread, or its rate of the largest
///   loader    of decode the rate, of batches of kLeastBatch that workers make the rate, of what
///   has
///             one size only the time; else the law, by the bar of figures
/// A figure is accepted where cells (runs, of a single cell) held out lie within the bar of laws,
/// usable up to kNoFigure, else refused.                         [docs/calibration.md, eq. 10]
[[nodiscard]] std::vector<Fit> fits_of(const FitSeries& series, const FitOptions& options);

}  // namespace stallcast::calibration::fit
