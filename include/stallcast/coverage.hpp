#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stallcast/uncertainty.hpp"

/// Whether intervals hold as often as they say what was measured.
namespace stallcast {

/// A measured figure next to what was predicted of it, in one unit.
struct JudgedFigure {
  std::string case_id;
  std::string metric;  ///< the class it is counted in: "au_raw", "job.*.first_step"
  std::string unit;
  double measured = 0.0;
  double value = 0.0;             ///< predicted
  LevelIntervals intervals = {};  ///< by kLevels, each within the next
};

/// All figures of one class.
struct ClassCoverage {
  std::string metric;
  std::string unit;
  std::size_t figures = 0;
  std::array<std::size_t, kLevels.size()> inside = {};  ///< how many each level's intervals hold
  /// Sharpness: the median half width of the intervals that are to hold nine in ten. A difference
  /// for shares ("ratio"); else a factor less 1, so that 0.08 is "times or by 1.08".
  double half_width = 0.0;
  /// The part of the figures that is inside at `level` of kLevels.
  [[nodiscard]] double actual(std::size_t level) const {
    return figures == 0 ? 0.0 : static_cast<double>(inside[level]) / static_cast<double>(figures);
  }
};

/// A figure that lies outside its interval of nine in ten.
struct MissedFigure {
  JudgedFigure figure;
  /// How far from the middle of the interval, in half widths of it: above 1, infinite where there
  /// is no width. Shares are compared as they are, all else by logarithms.
  double widths = 0.0;
};

struct Coverage {
  std::vector<ClassCoverage> classes;  ///< in the order in which they first appear
  std::vector<MissedFigure> missed;    ///< by class, the farthest off first
};

/// Pure. An end of an interval belongs to it.
[[nodiscard]] Coverage coverage_of(std::span<const JudgedFigure> figures);

}  // namespace stallcast
