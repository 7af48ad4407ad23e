#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "stallcast/result.hpp"

/// The parts of a sweep on a cluster that users already have.
namespace stallcast::client {

struct SweepLaunch {
  std::string engine = {};                           ///< slurm, mpi, k8s or parallel
  std::string path = {};                             ///< of the sweep's file
  std::optional<std::int64_t> parts = std::nullopt;  ///< that run by themselves; none: 8
  bool submit = false;                               ///< give it to the engine's own command
  std::string image = {};                            ///< k8s: container with stallcast
  std::string claim = {};                            ///< k8s: volume claim with the sweep
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< of each part
};

/// The script or manifest that runs all parts of a sweep with this program; it was submitted where
/// that is wanted. All failures have bad_input.
[[nodiscard]] Result<std::string> launch_sweep(const SweepLaunch& wanted);

}  // namespace stallcast::client
