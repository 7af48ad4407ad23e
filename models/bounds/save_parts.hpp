#pragma once

#include <string>
#include <vector>

#include "models/bounds/parts.hpp"
#include "models/checkpoint/layout.hpp"

namespace stallcast::models::detail {

/// What the parts of one save take, of the layout that is simulated, where nothing else goes on.
struct SaveParts {
  Seconds quiesce;
  Seconds snapshot;  ///< gather, codec and copy, until the state has left all GPUs
  Seconds passes;    ///< of the CPU
  Seconds peers;     ///< copies to other hosts
  std::vector<Derivation> lines{};

  /// All of a save that takes `flush` to its storage; phases that stream run at the same time.
  [[nodiscard]] Seconds save(const CheckpointParams& p, bool blocking, Seconds flush) const;
};

/// Copies between the GPUs and host memory: what the rank that has most moves, and the host.
struct Copied {
  Bytes rank, host;
  bool together = true;  ///< all ranks of a host at once
};
/// How long, and how that comes about: "rank" and "host" are figures of `name`,
/// "job.train.restore.".
[[nodiscard]] Derivation copy_bound(const std::string& name, const Copied& copied,
                                    const JobDemand& d, const CheckpointParams& p,
                                    const HostParams& host);

/// What the parts of a restore after the run take at least, of all of the state, as `restore.read`
/// has it read.
[[nodiscard]] std::vector<Derivation> restore_parts(const JobDemand& d, const CheckpointParams& p,
                                                    const CheckpointLayout& layout,
                                                    const Plant& plant);

/// [docs/models/checkpoint.md, eq. 2, 4, 7, 14 and 15]
[[nodiscard]] SaveParts save_parts(const JobDemand& d, const CheckpointParams& p,
                                   const ModelParams& model, const CheckpointLayout& layout,
                                   const Plant& plant);

}  // namespace stallcast::models::detail
