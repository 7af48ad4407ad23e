#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "calibration/measure/probes/io_cells.hpp"
#include "calibration/measure/probes/scratch.hpp"
#include "calibration/measure/probes/turns.hpp"

/// Ever larger working sets read through the page cache: how much of them a cache holds.
namespace stallcast::calibration::probing {

/// Bytes of the working sets: `shares` of `memory`, in whole blocks of 16 MiB. What is above `most`
/// becomes `most`, once; sets of less than a block are left out.
[[nodiscard]] std::vector<std::uint64_t> ladder_sizes(std::span<const double> shares, double memory,
                                                      std::uint64_t most);

/// One working set, and how fast it was read.
struct Rung {
  double bytes = 0.0;
  double rate = 0.0;  ///< B/s
};
/// Where reads become slow.
struct CacheKnee {
  double fits = 0.0;    ///< bytes of the largest working set before
  double slow = 0.0;    ///< of the next one
  double factor = 1.0;  ///< by which that is read more slowly
};
/// The largest step down between neighbours; nullopt when none is above 1.5.
[[nodiscard]] std::optional<CacheKnee> knee_of(std::span<const Rung> rungs);

/// Writes a file, as large as half of the free space (less the reserve), --space and five minutes
/// of writing at `fill_rate` (B/s) let it be, and reads working sets of it (`effort.ladder`) in
/// ascending order: once from end to end, then random 128 KiB by psync. Adds a record per working
/// set (path "ladder", figures working_set_bytes and page_cache_bytes), one of the knee (operation
/// "cache"), and a note. All carry the flag "cached": they do not measure the storage.
[[nodiscard]] std::optional<Failure> run_ladder(const ProbeOptions& options, const IoEffort& effort,
                                                const Scratch& scratch, double fill_rate,
                                                Stretch progress, MeasurementSet& set);

}  // namespace stallcast::calibration::probing
