#pragma once

#include "models/cache/hit_ratio.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models::cache {

/// Memory of one host that a job takes while it trains: its training and loader processes, and
/// batches that these keep for it.
struct TrainingMemory {
  Bytes processes, batches;
};
/// On a host with so many `ranks`, `readers` of which have a loader.    [docs/models/cache.md, eq.
/// 10]
[[nodiscard]] TrainingMemory training_memory(const JobDesign& job, const HostParams& host,
                                             double ranks, double readers);

/// What the hosts of a job keep of its data set, known before the run.
struct CachePlan {
  bool used = false;
  Eviction eviction = Eviction::none;
  Fraction cached;             ///< of what one host (cooperative: all) comes back to
  double share_of_node = 1.0;  ///< of the job's epoch that one cache sees: 1/N reshuffled globally
  double readers = 1.0;        ///< jobs that read the same data through it at one time
  bool in_order = false;
  bool warm = false;
  Fraction remote;  ///< of what is found, on other hosts
  Bytes size;       ///< of one host
  Bytes data;       ///< that one host comes back to, jobs that run at one time

  /// The pattern the cache sees when the job reads `share` of the data set each epoch.
  [[nodiscard]] Pattern pattern(double share) const {
    return {.share = share * share_of_node, .readers = readers, .in_order = in_order};
  }
  /// No epoch finds more: an upper bound for estimates.
  [[nodiscard]] Fraction most() const;
};

/// The page cache budget of one host of a job: its memory less what processes, batches on their way
/// and snapshots take, of it and of those beside it that take most; 0 when nothing is left.
///    [docs/models/cache.md, eq. 10]
[[nodiscard]] Bytes page_cache_budget(const Design& design, const JobDesign& job,
                                      const Plant& plant);

/// REQUIRES: the job has a data set.
[[nodiscard]] CachePlan cache_plan(const Design& design, const JobDesign& job, const Plant& plant);

}  // namespace stallcast::models::cache
