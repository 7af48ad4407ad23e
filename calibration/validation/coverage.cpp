#include "stallcast/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/measure/statistics.hpp"

namespace stallcast {
namespace {

/// Shares are compared as they are, all else by factors.
double compared(double value, bool is_share) { return is_share ? value : std::log(value); }

double half_width(const JudgedFigure& f, bool is_share) {
  const Interval& of = f.intervals[kNineInTen];
  const double half = 0.5 * (compared(of.high, is_share) - compared(of.low, is_share));
  return is_share ? half : std::expm1(half);
}

double widths_off(const JudgedFigure& f, bool is_share) {
  const Interval& of = f.intervals[kNineInTen];
  const double low = compared(of.low, is_share), high = compared(of.high, is_share);
  if (!(high > low)) return std::numeric_limits<double>::infinity();
  return std::abs(compared(f.measured, is_share) - (low + high) / 2.0) / ((high - low) / 2.0);
}

}  // namespace

Coverage coverage_of(std::span<const JudgedFigure> figures) {
  Coverage out;
  for (const JudgedFigure& first : figures) {
    const auto same = [&](const auto& one) { return one.metric == first.metric; };
    if (std::any_of(out.classes.begin(), out.classes.end(), same)) continue;
    ClassCoverage& found = out.classes.emplace_back();
    found.metric = first.metric;
    found.unit = first.unit;
    const bool is_share = found.unit == "ratio";
    std::vector<double> halves;
    std::vector<MissedFigure> missed;
    for (const JudgedFigure& f : figures) {
      if (!same(f)) continue;
      ++found.figures;
      halves.push_back(half_width(f, is_share));
      for (std::size_t i = 0; i < kLevels.size(); ++i)
        if (f.intervals[i].low <= f.measured && f.measured <= f.intervals[i].high)
          ++found.inside[i];
      const Interval& of = f.intervals[kNineInTen];
      if (f.measured < of.low || f.measured > of.high)
        missed.push_back({f, widths_off(f, is_share)});
    }
    found.half_width = calibration::median(std::move(halves));
    std::stable_sort(
        missed.begin(), missed.end(),
        [](const MissedFigure& a, const MissedFigure& b) { return a.widths > b.widths; });
    out.missed.insert(out.missed.end(), missed.begin(), missed.end());
  }
  return out;
}

}  // namespace stallcast
