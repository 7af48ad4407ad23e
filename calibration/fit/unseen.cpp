#include "calibration/fit/unseen.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::fit {
namespace {

/// Less than any time of storage that is asked over a bus.
constexpr double kLeastTime = 0.3e-6;
/// The end of a range is at least so far from where it begins.
constexpr double kAtLeast = 2.0;
constexpr double kNone = 1e9;  // times as large: it limits nothing
constexpr int kHalvings = 60;

}  // namespace

// n ln(loss / least) is a chi-square of one degree of freedom, and one side of it is asked.
double within_luck(std::span<const Point> points) {
  constexpr double kNormal = 1.6449;
  return std::max(kAsGood, std::exp(kNormal * kNormal / static_cast<double>(points.size())));
}

std::vector<Unseen> unseen(const Law& law, const FitSeries& series, std::span<const Point> points,
                           const std::vector<double>& theta) {
  std::vector<Unseen> out;
  if (series.subject != Subject::io || series.over_ranks || series.over_cores) return out;
  const double most = within_luck(points) * loss_of(law, points, theta);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const bool rate = law.parameters[i].unit == "B/s", time = law.parameters[i].unit == "s";
    if (!rate && !time) continue;
    const auto fits = [&](double value) {
      std::vector<double> other = theta;
      other[i] = value;
      return loss_of(law, points, other) <= most;
    };
    const double none = theta[i] * (rate ? kNone : 1.0 / kNone);
    if (!(theta[i] > 0.0) || !fits(none)) continue;
    // Between what limits nothing and what would limit a cell, by logarithms.
    double in = std::log(theta[i]), beyond = std::log(theta[i] * (rate ? 1.0 / kNone : kNone));
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = (in + beyond) / 2.0;
      (fits(std::exp(middle)) ? in : beyond) = middle;
    }
    Unseen range{i, std::exp(in), 0.0};
    range.end = rate ? std::max(kMostOfDrive, kAtLeast * range.bound)
                     : std::min(kLeastTime, range.bound / kAtLeast);
    out.push_back(range);
  }
  return out;
}

double at_part(const Unseen& range, double part) {
  return range.bound * std::pow(range.end / range.bound, part);
}

void say_unseen(Fit& fit, std::span<const Unseen> ranges) {
  for (const Unseen& range : ranges) {
    if (range.parameter >= fit.parameters.size()) continue;
    const FittedParameter& p = fit.parameters[range.parameter];
    const bool rate = p.unit == "B/s";
    for (std::string& reason : fit.reasons)
      if (reason == "the measurements do not decide \"" + p.name + "\"")
        reason = "no cell reached a limit of \"" + p.name + "\": it is at " +
                 (rate ? "least " : "most ") +
                 base::print_quantity(range.bound, rate ? Dimension::rate : Dimension::time) +
                 ", and drawn between that and " +
                 base::print_quantity(range.end, rate ? Dimension::rate : Dimension::time);
  }
}

}  // namespace stallcast::calibration::fit
