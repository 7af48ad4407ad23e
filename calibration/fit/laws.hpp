#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "calibration/fit/cells.hpp"

/// The laws that series are fitted to: how long an operation takes, by size and depth, and how long
/// all ranks need to meet, by their number. Equations and their sources: docs/calibration.md.
namespace stallcast::calibration::fit {

/// A parameter of a law; all are positive.
struct LawParameter {
  std::string_view name;
  std::string_view unit;  ///< SI base
  double least = 0.0;     ///< below it the law says the same, and it counts as so much
};

/// Which series may follow a law.
enum class LawOf {
  sizes,    ///< all over sizes and depths
  devices,  ///< those of storage
  queues,   ///< those of storage with more than one in flight
  ranks,    ///< those over ranks
  cores     ///< those over cores
};

/// One row: to add a law, its functions and its row in laws.cpp.
struct Law {
  std::string_view id;
  std::string_view equation;
  std::span<const LawParameter> parameters;
  /// Response time in seconds of an operation at the cell's size and depth under `theta`, in the
  /// order of `parameters`.
  double (*response)(std::span<const double> theta, const FitCell& cell);
  /// Where the search for the parameters begins, from the cells alone.
  std::vector<double> (*start)(std::span<const FitCell> cells);
  /// What the cells must vary in for the parameters to be decided.
  bool needs_sizes = false;
  bool needs_depths = false;
  LawOf of = LawOf::sizes;
};

/// By number of parameters, fewest first; those over ranks and cores last.
[[nodiscard]] std::span<const Law> laws();
/// REQUIRES: `id` is a row.
[[nodiscard]] const Law& law(std::string_view id);
/// The laws that a series of this subject may follow and whose parameters its cells can decide.
[[nodiscard]] std::vector<const Law*> candidates(const FitSeries& series);

}  // namespace stallcast::calibration::fit
