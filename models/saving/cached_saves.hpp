#pragma once

#include "models/contract/checkpoint.hpp"
#include "models/saving/state_mover.hpp"

/// Saves that nobody flushes: training goes on when the page cache of its hosts has them.
/// docs/models/checkpoint.md, eq. 15.
namespace stallcast::models {

/// Whether saves end so: they ask for it, and the clients of their storage keep pages.
[[nodiscard]] bool end_in_cache(const CheckpointParams& p, const Plant& plant);

/// What the page cache of a host takes of them.
class CachedSaves {
 public:
  explicit CachedSaves(const StateMover& mover);

  /// The parameters of the job's saves as they go: where clients keep no pages, saves are flushed.
  [[nodiscard]] CheckpointParams params() const;
  /// Of `part` of a mover's state what is stored before training goes on: the rest fits.
  [[nodiscard]] double beyond(const Mover& mover, double part) const;
  /// What a mover's threads do to bring `part` of its state there.
  [[nodiscard]] CpuPasses passes(const Mover& mover, double part) const;

 private:
  /// What the ranks of one host save of the state.
  [[nodiscard]] Bytes of_host(const Mover& mover) const;

  const StateMover& mover_;
  Bytes room_;  ///< that may wait to be written
};

}  // namespace stallcast::models
