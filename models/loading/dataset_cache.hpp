#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/ledger.hpp"
#include "models/contract/dataset.hpp"
#include "models/contract/storage.hpp"
#include "models/loading/cache_plan.hpp"

namespace stallcast::models::cache {

/// The part of a data set that the hosts of one class of ranks keep, in simulated time: page cache,
/// or a directory on local drives.    [docs/models/cache.md, eq. 11]
class DatasetCache {
 public:
  /// REQUIRES: `plant` is attached and `plan.used`.
  DatasetCache(const CachePlan& plan, const DatasetParams& dataset, Plant& plant,
               const std::string& host, std::size_t group, sim::Context& context);

  /// From now on saves write `bytes` an epoch through the page cache of each host.
  void beside_writes(Bytes bytes);
  /// It is `before`, of the same hosts, whose processes are others now: what is on its way to
  /// drives is lost.
  void take_over(const DatasetCache& before) {
    plan_.warm = before.plan_.warm;
    ratio_ = HitRatio(plan_.eviction, plan_.cached, plan_.warm);
    before_ = before.before_;
    filled_ = before.filled_;
    filled_.taken = filled_.written;
  }
  /// From now on it is another, empty one, on which the job has `passes` less behind it.
  void replace(double passes);
  /// Share of a read that is found.
  [[nodiscard]] double found(const Revisits& job);
  /// Reads what was found: from this host and, in a cooperative cache, from others.
  sim::Task<Served> read(const Client& client, Bytes bytes, double ranges);
  /// Keeps what was not found; on local drives that is a write alongside the loading, and drives
  /// that are behind keep only what they can write.    [cache.md, eq. 15]
  void keep(const Client& client, Bytes bytes, const Revisits& job);
  void describe(sim::Ledger& ledger);

 private:
  /// Share of a read that is found where drives keep all that they are to.
  [[nodiscard]] double law(const Revisits& job);
  sim::Task<Served> stream(const Client& client, const std::vector<sim::LinkId>& path, Bytes bytes,
                           double ranges);
  sim::Task<void> write(double members, Bytes bytes);
  sim::Task<void> fill();
  /// From now on the job has `passes` behind it.
  void begin(double passes);
  /// Of what came in before this epoch and is to be kept, the share that is written.
  [[nodiscard]] double kept() const {
    return filled_.wanted > Bytes{}
               ? std::min(1.0, std::min(filled_.written, filled_.before) / filled_.wanted)
               : filled_.found;
  }
  /// The same, with what waits to be written.
  [[nodiscard]] double coming() const {
    return filled_.wanted > Bytes{} ? std::min(1.0, filled_.before / filled_.wanted)
                                    : filled_.found;
  }

  /// What waits to be written on the drives of each member.
  struct Fill {
    Seconds came;
    double members = 0.0;
    Bytes bytes;
  };
  /// How far the drives of a host are filled.
  struct Filled {
    std::optional<double> passes;   ///< of the present epoch
    double found = 1.0;             ///< of what the law finds, as long as nothing is wanted
    Bytes offered, taken, written;  ///< so far: to be written, of that not given up, and done
    Bytes before;                   ///< taken before this epoch
    Bytes wanted;                   ///< what the first epoch offered
  };

  CachePlan plan_;
  HitRatio ratio_;
  double before_ = 0.0;   ///< passes that another cache saw
  double written_ = 0.0;  ///< of the data, in an epoch
  Rate copy_;
  Seconds round_trip_;
  std::vector<sim::LinkId> local_, remote_;  ///< besides the drives
  StorageModel* drives_ = nullptr;           ///< of the host; none: its page cache
  Client on_drives_;
  std::deque<Fill> fills_;  ///< the first is being written
  bool filling_ = false;
  Filled filled_;
  ResourceTable& resources_;
  ResourceIndex copy_resource_;
  sim::Context& context_;
};

}  // namespace stallcast::models::cache
