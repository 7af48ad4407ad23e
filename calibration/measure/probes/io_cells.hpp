#pragma once

#include <string>
#include <vector>

#include "calibration/measure/probes/io_engine.hpp"
#include "calibration/measure/probes/probe.hpp"

/// What the io probe runs, and what it makes of it.
namespace stallcast::calibration::probing {

/// One point: run several times, each in a process of its own.
struct IoCell {
  std::string operation;  ///< "read", "write", "mixed"
  std::string path;       ///< "" for what is fitted; "psync", "zeros", "working-set" to compare
  IoLoad load;
  bool psync = false;  ///< threads instead of io_uring
};

/// How much a depth of looking takes.
struct IoEffort {
  std::vector<std::size_t> sizes;
  std::vector<unsigned> depths;
  std::size_t repeats = 3;
  double shortest_s = 2.0, longest_s = 15.0;
  std::uint64_t file = 0;  ///< bytes, unless free space or --space say less
  std::vector<double> ladder =
      {};                  ///< working sets to read through the page cache, over the memory
  double watched_s = 0.0;  ///< length of the runs that look for steady state and bursts
  bool rested = true;      ///< whether runs after rests follow
};
[[nodiscard]] IoEffort io_effort(ProbeDepth depth);
/// The file grows with the budget: writing it twice at 100 MB/s takes a tenth of it.
[[nodiscard]] IoEffort io_effort_within(Seconds budget);

/// The io probe with an effort of the caller's. REQUIRES: at least two depths.
[[nodiscard]] Result<MeasurementSet> run_io(const ProbeOptions& options, const IoEffort& effort);

/// The cells of a file of `bytes`: sizes that are not multiples of `alignment`, or of which a
/// sixteenth of the file cannot be in flight, are left out.
[[nodiscard]] std::vector<IoCell> io_cells(const IoEffort& effort, std::uint64_t bytes,
                                           std::uint64_t alignment, bool reads_only);

/// What matters most first: random reads, reads in order, writes, mixtures, then what is there to
/// compare with; within each the largest sizes.
void by_importance(std::vector<IoCell>& cells);

/// "read random 4 KiB, depth 16"
[[nodiscard]] std::string label(const IoCell& cell);

/// The record of one run, with the flags that follow from the run itself:
///   few-completions  fewer than max(200, 10 depth)
///   inconsistent     rate x latency is not the depth (Little's law, 5 %)
///   cpu-bound        a submitting thread kept more than 80 % of a core busy
///   small-pages      the buffers were not on huge pages, as was asked
/// REQUIRES: something was counted.
[[nodiscard]] Measurement io_measurement(const IoCell& cell, const IoTally& tally);

/// Bytes per second of each whole second of a run.
[[nodiscard]] std::vector<double> per_second(const IoTally& tally);

}  // namespace stallcast::calibration::probing
