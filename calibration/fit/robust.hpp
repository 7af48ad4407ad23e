#pragma once

#include <span>
#include <vector>

#include "calibration/fit/laws.hpp"

/// Robust regression of a law on cells.
namespace stallcast::calibration::fit {

/// What a regression found.
struct Estimate {
  std::vector<double> theta;  ///< in the order of the law's parameters
  double loss = 0.0;          ///< mean Huber loss of the log residuals
  /// Condition number of the curvature at the solution, in log parameters; large: not decided.
  double condition = 0.0;
};

/// One cell as the regression sees it.
struct Point {
  const FitCell* cell = nullptr;
  double response = 0.0;  ///< s; the cell's median, or a bootstrap's
  double weight = 1.0;    ///< relative
};

/// Levenberg-Marquardt on log parameters and log responses with Huber weights (k = 1.345 times the
/// normalised MAD of the residuals): relative errors count, a third of wild points does not turn
/// it. Deterministic.                                              [docs/calibration.md, eq. 7]
[[nodiscard]] Estimate regress(const Law& law, std::span<const Point> points,
                               std::span<const double> start);

/// What `theta` leaves of them, as `Estimate::loss`.
[[nodiscard]] double loss_of(const Law& law, std::span<const Point> points,
                             std::span<const double> theta);

/// What another search has to leave less than, as a share of what the first left, to count as
/// better.
inline constexpr double kAsGood = 1.001;

/// The best that `regress` finds from `start`, from places with one parameter of it ten times as
/// large or as small, and from such places about the best of those: laws with a maximum in them
/// have more than one least.                                       [docs/calibration.md, eq. 7]
[[nodiscard]] Estimate regress_from_several(const Law& law, std::span<const Point> points,
                                            std::span<const double> start);

}  // namespace stallcast::calibration::fit
