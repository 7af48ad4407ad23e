#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measure/probes/gds/cufile.hpp"

/// Which way data took between storage and the accelerator. What a tool asked for says nothing of
/// it: cuFile falls back to host memory without a word.
namespace stallcast::calibration::gds {

/// Requests of cuFile by the way they took, over all GPUs.
struct PathCounts {
  std::uint64_t p2p = 0;    ///< the kernel's PCI peer-to-peer DMA
  std::uint64_t nvfs = 0;   ///< nvidia-fs
  std::uint64_t posix = 0;  ///< host memory: compat mode
  friend PathCounts operator-(const PathCounts& a, const PathCounts& b) {
    return {a.p2p - b.p2p, a.nvfs - b.nvfs, a.posix - b.posix};
  }
  bool operator==(const PathCounts&) const = default;
};
[[nodiscard]] PathCounts counts_of(const CuFileCounters& counters, bool reading);

/// What is known of a run that moved data.
struct Evidence {
  std::optional<PathCounts> counts;  ///< of the run; nullopt when the library does not count
  CuFileSettings asked;
  unsigned nvfs_major = 0;  ///< of nvidia-fs, 0 where it is not there
};

struct PathVerdict {
  std::string path;                ///< "p2p", "nvidia-fs", "compat", "mixed", "unknown"
  std::vector<std::string> flags;  ///< "mixed-path", "compat-fallback", "path-inferred", ...
  std::string evidence;            ///< one sentence
};

/// The counters decide. Without any, data that moved while compat mode was off went directly, and
/// while it was forced through the host; else nothing is known (flag "path-unknown").
[[nodiscard]] PathVerdict judge(const Evidence& evidence);

}  // namespace stallcast::calibration::gds
