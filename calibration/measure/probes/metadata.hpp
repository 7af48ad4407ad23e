#pragma once

#include <vector>

#include "calibration/measure/probes/probe.hpp"

namespace stallcast::calibration::probing {

/// How much a depth of looking takes.
struct MetadataEffort {
  std::vector<int> clients;  ///< numbers of processes
  std::size_t repeats = 3;
  double phase_s = 0.5;     ///< of one phase of one run, at least
  std::size_t most = 5000;  ///< files that one client makes in one phase
};
[[nodiscard]] MetadataEffort metadata_effort(ProbeDepth depth);

/// The metadata probe with an effort of the caller's.
[[nodiscard]] Result<MeasurementSet> run_metadata(const ProbeOptions& options,
                                                  const MetadataEffort& effort);

}  // namespace stallcast::calibration::probing
