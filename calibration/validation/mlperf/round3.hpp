#pragma once

#include <optional>
#include <string_view>

#include "stallcast/units.hpp"

namespace stallcast::calibration::mlperf {

/// Bytes of the largest rank and of all ranks of a checkpoint of MLPerf Storage v2.0 and v3.0, as
/// the benchmark's formulas give them.
struct CheckpointSize {
  Bytes rank, all;
};
/// Of "llama3-8b", "llama3-70b", "llama3-405b", "llama3-1t"; nullopt for others.
[[nodiscard]] std::optional<CheckpointSize> checkpoint_size(std::string_view model);

}  // namespace stallcast::calibration::mlperf
