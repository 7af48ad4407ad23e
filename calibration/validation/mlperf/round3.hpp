#pragma once

#include <optional>
#include <string_view>

#include "calibration/validation/mlperf/step_law.hpp"

/// MLPerf Storage v3.0: AU counts the measured sleep, and checkpoints are timed on rank 0.
namespace stallcast::calibration::mlperf {

/// AU of `ranks` with `storage` to read from (infinite: no limit known).                [eq. 20]
[[nodiscard]] double utilization_v3(const Workload& workload, Seconds compute, double ranks,
                                    Rate storage);

enum class CheckpointPhase { save, load };

/// Bytes of the largest rank and of all ranks, as the benchmark's formulas give them.
struct CheckpointSize {
  Bytes rank, all;
};
/// Of "llama3-8b", "llama3-70b", "llama3-405b", "llama3-1t"; nullopt for others.
[[nodiscard]] std::optional<CheckpointSize> checkpoint_size(std::string_view model);

/// Seconds of rank 0: its own rate or the storage's, whichever is slower.               [eq. 21]
[[nodiscard]] Seconds checkpoint_time(CheckpointPhase phase, const CheckpointSize& size,
                                      Rate storage);

/// Write rate of `drives` NVMe drives of a Lustre system, seen by checkpoints. Known from one
/// published row alone, which is not a test of it.                                         [eq. 22]
[[nodiscard]] Rate drive_writes(double drives);

/// Half widths of 90 % intervals, of logarithms: of 1/AU - 1, of checkpoint seconds, and of those
/// that `drive_writes` decides.
namespace spread_v3 {
inline constexpr double kLostShare = 0.30;
inline constexpr double kCheckpoint = 0.12;
inline constexpr double kDrives = 0.80;
}  // namespace spread_v3

}  // namespace stallcast::calibration::mlperf
