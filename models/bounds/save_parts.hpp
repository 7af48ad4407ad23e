#pragma once

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

/// [docs/models/checkpoint.md, eq. 2, 4, 7, 14 and 15]
[[nodiscard]] SaveParts save_parts(const JobDemand& d, const CheckpointParams& p,
                                   const ModelParams& model, const CheckpointLayout& layout,
                                   const Plant& plant);

}  // namespace stallcast::models::detail
