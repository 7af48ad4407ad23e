#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "calibration/fit/cells.hpp"
#include "calibration/fit/laws.hpp"
#include "calibration/fit/robust.hpp"
#include "stallcast/calibration_profile.hpp"

/// Limits that no cell reached. docs/calibration.md, equation 20.
namespace stallcast::calibration::fit {

/// Bytes a second that one drive moves at most: four lanes of PCIe 5.0.
inline constexpr double kMostOfDrive = 15e9;

/// How many times the least loss another place may have that nineteen of twenty measurements would
/// not tell from it.
[[nodiscard]] double within_luck(std::span<const Point> points);

/// A parameter of a law over storage that no cell tells anything of from `bound` on: a rate of so
/// much or more, a time of so much or less, up to the `end` of what storage has.
struct Unseen {
  std::size_t parameter = 0;
  double bound = 0.0, end = 0.0;
};
[[nodiscard]] std::vector<Unseen> unseen(const Law& law, const FitSeries& series,
                                         std::span<const Point> points,
                                         const std::vector<double>& theta);

/// Where in its range, by a number between 0 and 1: each factor is as likely.
[[nodiscard]] double at_part(const Unseen& range, double part);

/// Says of parameters that are not decided what is known of them.
void say_unseen(Fit& fit, std::span<const Unseen> ranges);

}  // namespace stallcast::calibration::fit
