#pragma once

#include <string>
#include <vector>

#include "calibration/measure/probes/gds/run.hpp"
#include "calibration/measure/probes/probe.hpp"

/// What the gds probe runs, and what it makes of it.
namespace stallcast::calibration::gds {

struct GdsCell {
  std::string asked;  ///< "pageable", "pinned", "direct-pinned", "cufile", "cufile no-compat", ...
  std::string operation;  ///< "read" and "write", "h2d" and "d2h" without storage
  GdsLoad load;
  [[nodiscard]] bool reading() const { return load.io.read_share >= 1.0; }
  [[nodiscard]] bool copies_only() const {
    return load.way == Way::copy_pageable || load.way == Way::copy_pinned;
  }
};

struct GdsEffort {
  std::vector<std::size_t> sizes;
  std::vector<unsigned> threads;
  std::vector<std::size_t> copies;  ///< sizes of the copies without storage
  std::size_t repeats = 3;
  double shortest_s = 1.0, longest_s = 10.0;
  std::uint64_t file = 0;  ///< bytes, unless free space or --space say less
};
[[nodiscard]] GdsEffort gds_effort(ProbeDepth depth);

/// The gds probe with an effort of the caller's.
[[nodiscard]] Result<MeasurementSet> run_gds_cells(const ProbeOptions& options,
                                                   const GdsEffort& effort);

/// The cells of a file of `bytes`: sizes that are not multiples of 4 KiB (direct paths read whole
/// pages: a part of one costs the whole) and of `alignment`, or of which the threads would have
/// more than a quarter of the file in flight, are left out. Every way for reads and writes; the
/// settings of cuFile are compared for reads of one size.
[[nodiscard]] std::vector<GdsCell> gds_cells(const GdsEffort& effort, std::uint64_t bytes,
                                             std::uint64_t alignment);

/// "cufile no-compat: read 1 MiB, threads 4"
[[nodiscard]] std::string label(const GdsCell& cell);

/// The record of one run that went well, under the path that it really took, with the flags of
/// io_measurement and judge(). "direct-pinned" has no latency: a block is still being copied while
/// the next is read.
/// REQUIRES: something was counted.
[[nodiscard]] Measurement gds_measurement(const GdsCell& cell, const GdsTally& tally);

}  // namespace stallcast::calibration::gds
