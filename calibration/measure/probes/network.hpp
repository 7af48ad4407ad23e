#pragma once

#include <cstdint>
#include <vector>

#include "calibration/measure/probes/probe.hpp"

namespace stallcast::calibration::probing {

/// How much a depth of looking takes.
struct NetworkEffort {
  std::vector<std::uint32_t> sizes;  ///< of messages, in bytes
  std::vector<int> streams;          ///< TCP connections at a time
  std::size_t repeats = 3;
  double run_s = 0.5;  ///< of one run, at least
};
[[nodiscard]] NetworkEffort network_effort(ProbeDepth depth);

/// The network probe with an effort of the caller's: against `peer`, or a pair over loopback.
[[nodiscard]] Result<MeasurementSet> run_network(const ProbeOptions& options,
                                                 const NetworkEffort& effort);

}  // namespace stallcast::calibration::probing
