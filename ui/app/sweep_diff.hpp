#pragma once

#include <optional>
#include <string>

#include "stallcast/diff.hpp"
#include "stallcast/result.hpp"

namespace stallcast::client {

/// Which metrics of two sweeps are compared, and what counts as moved.
struct SweepDiffQuestion {
  std::string metrics = "*";  ///< "*" stands for any text
  double min_change = 0.005;  ///< less than this, relative, is not a move
};

/// What became of the sweep in the file `base`: the points that both have, with the inputs and
/// metrics that differ. Simulates nothing. nullopt when no metric matches; failures have bad_input.
[[nodiscard]] Result<std::optional<SweepDiff>> diff_sweeps(const std::string& base,
                                                           const std::string& head,
                                                           const SweepDiffQuestion& question);

}  // namespace stallcast::client
