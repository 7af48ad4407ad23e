#pragma once

#include <optional>
#include <string_view>

#include "stallcast/units.hpp"

namespace stallcast::calibration::mlperf {

/// What a checkpoint of MLPerf Storage v2.0 and v3.0 is, as the benchmark's formulas give it.
struct CheckpointSize {
  Bytes rank;   ///< of the largest rank
  Bytes all;    ///< of the ranks that save
  bool subset;  ///< fewer than a whole one is of: each saves what it does in that
};
/// Of "llama3-8b", "llama3-70b", "llama3-405b", "llama3-1t", saved by `ranks` of them; nullopt for
/// others. A subset is the first ranks, which hold the first pipeline stage: the largest.
[[nodiscard]] std::optional<CheckpointSize> checkpoint_size(std::string_view model, double ranks);

}  // namespace stallcast::calibration::mlperf
