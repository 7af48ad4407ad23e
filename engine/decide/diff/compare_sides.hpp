#pragma once

#include <string>

#include "stallcast/diff.hpp"
#include "stallcast/sweep.hpp"

namespace stallcast::diff {

/// Which metrics are compared, and what counts as moved.
struct ComparedMetrics {
  std::string metrics = "*";  ///< "*" stands for any text
  double min_change = 0.005;  ///< as Tolerance::relative
};

/// Sets what follows from the two predictions of `diff`: metrics that moved, came or went, and
/// warnings about comparing them at all.
void compare(Diff& diff, const ComparedMetrics& scope);

/// Points of two sweeps side by side: those with the same design when their axes differ, else
/// those with the same values. Inputs are the caller's to set.
[[nodiscard]] SweepDiff compare(const SweepReport& base, const SweepReport& head,
                                const ComparedMetrics& scope);

}  // namespace stallcast::diff
