#pragma once

#include <cstdint>

#include "calibration/fit/laws.hpp"
#include "stallcast/calibration_profile.hpp"

/// From a series of cells to a fit with intervals and a verdict.   [docs/calibration.md, Fits]
namespace stallcast::calibration::fit {

struct FitOptions {
  std::uint64_t seed = 1;
  int draws = 200;  ///< of the bootstrap
  int folds = 5;    ///< of the cross-validation
};

/// Bars of the verdict.
inline constexpr double kMedianBar = 0.10;  ///< held-out median error; or twice the noise
inline constexpr double kMostBar = 0.50;    ///< however much repeats differ
inline constexpr double kP90Bar = 0.25;     ///< held-out 90th percentile
/// A cell that the law is off at, alone: by more than so much, and than so many times the noise.
inline constexpr double kWorstBar = 0.30, kWorstNoise = 5.0;
inline constexpr double kIdentified = 0.50;  ///< half-width of an interval over its value
inline constexpr double kLargestCondition = 1e8;
inline constexpr double kDoubtedRuns = 0.10;  ///< share of the runs that something speaks against

/// Fits `series` with the law that predicts held-out cells best (the one with the fewest parameters
/// among those within one standard error of the best), says how well, draws parameters by a
/// bootstrap of what the law leaves of the cells, and judges:
///   refused   too few cells for any law (numbers of ranks: fewer than 3), or the held-out median
///   error is above max(10 %, twice the
///             noise), or 50 %
///   usable    the 90th percentile is above 25 %, a parameter is not decided, nothing repeats, the
///             files name different disks, or more than a tenth of the runs was taken on a busy
///             machine or lies in cells that fall apart
///   accepted  else
[[nodiscard]] Fit fit_series(const FitSeries& series, const FitOptions& options);

// What other fits share with it.

/// What the cells of `series` say without a law: their number, noise and range.
[[nodiscard]] Fit fit_without_law(const FitSeries& series);
/// "4.1 kB, depth 2", or "8 ranks".
[[nodiscard]] std::string cell_name(const FitCell& cell, bool over_ranks = false);
/// A parameter with the 90 % interval of its bootstrap draws.
[[nodiscard]] FittedParameter parameter_of(std::string name, std::string unit, double value,
                                           const std::vector<double>& draws);
/// Gives the fit of `series` its verdict and reasons, from its errors, noise and parameters.
void judge(Fit& fit, const FitSeries& series);
/// Adds `why` to the reasons; an accepted fit becomes a usable one.
void doubt(Fit& fit, std::string why);
/// The same for each parameter that is not decided.
void doubt_undecided(Fit& fit);
/// The same where more than a tenth of the `fit.runs` were among `busy`.
void doubt_busy(Fit& fit, std::size_t busy);

}  // namespace stallcast::calibration::fit
