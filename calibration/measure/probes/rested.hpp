#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calibration/measure/probes/io_cells.hpp"
#include "stallcast/measurement.hpp"

/// Runs after a rest: what a limiter lets through at the speed of the device behind it.
/// docs/guide/probes.md, "After a rest".
namespace stallcast::calibration::probing {

/// Where a run after a rest stops being faster than under load.
struct BurstEnd {
  double requests = 0.0;  ///< that were complete by then
  double after_s = 0.0;   ///< since the first was sent
  double gap_s = 0.0;     ///< until the next one was complete; 0: none was
};

/// The mark that is furthest above `loaded` requests a second, where as many were complete at least
/// `kFaster` times as fast as that; nullopt where none was.       [docs/calibration.md, eq. 13]
[[nodiscard]] std::optional<BurstEnd> knee_of(std::span<const IoTally::Mark> marks, OpRate loaded);
inline constexpr double kFaster = 1.5;

/// What is run after rests, reads and writes: small requests and large ones, alone and several at a
/// time. The first two of each operation decide whether the others are of interest.
[[nodiscard]] std::vector<IoCell> rested_cells(std::uint64_t bytes, std::uint64_t alignment,
                                               bool reads_only);
inline constexpr std::size_t kDeciding = 2;

/// Rests before the runs of a cell: the last is longer, for buckets that fill slowly.
[[nodiscard]] std::span<const double> rests_s();
inline constexpr double kRestedRun_s = 0.25;  ///< how long a run goes on

/// The record of one run: what was complete before the knee, with the figures `rest_s`,
/// `loaded_ops`, `burst_requests` (0: no knee), `burst_s`, `gap_s` and `after_ops`.
[[nodiscard]] Measurement rested_measurement(const IoCell& cell, const IoTally& tally,
                                             OpRate loaded);

}  // namespace stallcast::calibration::probing
