#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "models/checkpoint/layout.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/plant/plant.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// Ranks of one host group that move the same at one time.
struct Mover {
  std::size_t group = 0;
  RankShare share;     ///< its members are those of this group
  bool apart = false;  ///< on one host, or on all of the group: no host has what others lack
  double reads = 1.0;  ///< that a host has under way while they read
  std::map<std::string, Client, std::less<>> mounts;  ///< by storage system
};

/// Who reads a save together: how many, how many wrote it, all that was written, and how much of
/// what one reads each of the others does meanwhile.
struct SaveReaders {
  double readers = 1.0, files = 1.0;
  Bytes save{};
  double company = 1.0;
};

/// Where the state of a job goes and comes from: GPU, host memory, peers, drives, storage. What
/// saves and restores have in common. docs/models/checkpoint.md.
class StateMover {
 public:
  StateMover(const JobDesign& job, Plant& plant, sim::Context& context);

  /// One mover per class and host group that its ranks are in: the classes fill the hosts in turn.
  [[nodiscard]] std::vector<Mover> movers(const std::vector<RankShare>& shares, JobWork work);

  /// Between the GPUs and host memory; yields what limited it.    [checkpoint.md, eq. 2]
  [[nodiscard]] sim::Task<Served> copy(const Mover& mover, Bytes bytes);
  /// Over the network from host to host: `members` ranks receive `bytes` each, at no more than
  /// `each`, and as much leaves other hosts.    [checkpoint.md, eq. 8]
  [[nodiscard]] sim::Task<Served> exchange(std::size_t group, double members, Rate each,
                                           Bytes bytes);
  /// Whether hosts of a group pass on between their GPUs what one replica read.
  [[nodiscard]] bool passes_on(std::size_t group) const;
  /// Inside a host group, over NVLink: `members` ranks receive `bytes` each.    [host.md, eq. 5]
  [[nodiscard]] sim::Task<Served> pass_on(std::size_t group, double members, Bytes bytes);
  /// The shares of the other ranks come to rank 0, or go to them, by `port` of its host and NVLink;
  /// nothing where each rank has its own.    [checkpoint.md, eq. 4]
  [[nodiscard]] sim::Task<void> at_rank0(const Mover& mover, const char* port, WaitSplit& took,
                                         double part = 1.0);
  /// The tier that tier number `tier` is filled from; empty: host memory.
  [[nodiscard]] std::string drained_from(std::size_t tier) const;
  /// Whether that is a storage system inside the host.
  [[nodiscard]] bool is_local(const std::string& tier) const;
  /// Whether ranks find there what they saved themselves, and nothing else.
  [[nodiscard]] bool holds_own(const std::string& tier) const;
  /// What one of a member's threads writes: parts of files count as parts.
  struct Piece {
    Bytes bytes;
    double files = 1.0;
    std::int64_t save = 0;  ///< its number
  };
  /// Bytes in `tier` of one that is stored: in memory lies what left the GPU.
  [[nodiscard]] double of_stored(std::string_view tier) const;
  /// Of the `part` of the state that a save has, the `share` that is moved.
  [[nodiscard]] Piece piece(const Mover& mover, double part, double share = 1.0) const;
  /// Into a tier below host memory; what limited it goes to `served`.
  [[nodiscard]] sim::Task<void> send(const Mover& mover, std::string tier, Piece piece,
                                     Served& served);
  /// Out of a storage system inside the host, to be sent on; what limited it goes to `served`.
  [[nodiscard]] sim::Task<void> read_back(const Mover& mover, std::string tier, Piece piece,
                                          Served& served);
  /// Out of a tier, host memory included: of `bytes` in `files` the `share` that is read now.
  [[nodiscard]] sim::Task<Served> read(const Mover& mover, const std::string& tier, Bytes bytes,
                                       double files, SaveReaders by, double round_trips,
                                       double share = 1.0);
  /// CPU passes of every thread of every member; the wait for cores is told apart.
  ///    [checkpoint.md, eq. 7]
  [[nodiscard]] sim::Task<void> compute(const Mover& mover, const CpuPasses& passes,
                                        WaitSplit& took);
  /// `operations` metadata operations of every member on a storage tier; nothing elsewhere. They
  /// are renames of files that have `renamed` in all, or take as long as opens.
  [[nodiscard]] sim::Task<Served> metadata(const Mover& mover, const std::string& tier,
                                           double operations,
                                           std::optional<Bytes> renamed = std::nullopt);
  /// The small file by which a coordinator completes a save.
  [[nodiscard]] sim::Task<Served> mark(const std::string& tier);

  [[nodiscard]] sim::Context& context() const { return context_; }
  [[nodiscard]] Plant& plant() const { return plant_; }
  /// As the scenario has them; `local-nvme` is the store that the drives of the host are.
  [[nodiscard]] const CheckpointParams& params() const { return p_; }
  [[nodiscard]] const CheckpointLayout& layout() const { return layout_; }
  [[nodiscard]] const HostParams& host() const { return host_params_; }
  /// What all ports of one host of a group carry at present, each direction.
  [[nodiscard]] Rate nic(std::size_t group) const;
  /// Whether GPU and storage exchange the state past host memory.    [host.md, table 1]
  [[nodiscard]] bool past_memory() const { return past_memory_; }
  [[nodiscard]] double hosts() const { return spread_.hosts; }
  [[nodiscard]] const std::vector<HostGroup>& groups() const { return plant_.groups(host_); }
  /// Whether its hosts are among the last `last` of their class.
  [[nodiscard]] bool among_last(const Mover& mover, double last) const {
    return plant_.groups(host_)[mover.group].among_last(last, spread_.hosts);
  }
  [[nodiscard]] const RankSpread& ranks() const { return spread_; }
  /// Index of "host.H.<what>" and of "job.J.checkpoint.<what>".
  [[nodiscard]] ResourceIndex host_resource(const std::string& what) const;
  [[nodiscard]] ResourceIndex own_resource(std::string_view what) const;
  /// What most of `took` went to; CPU passes and their wait for cores are one part.
  [[nodiscard]] ResourceIndex worst_of(const WaitSplit& took) const;
  /// Core time used so far where nobody waits for cores, all members together.
  [[nodiscard]] Seconds uncontended_cpu() const { return uncontended_cpu_; }
  /// Bytes written so far through the page caches of the hosts: not with O_DIRECT, not past memory,
  /// not by clients that have no part in it.
  [[nodiscard]] Bytes buffered() const { return buffered_; }
  void describe(sim::Ledger& ledger) {
    ledger.count(uncontended_cpu_);
    ledger.count(buffered_);
  }
  /// Tiers below host memory, in turn: at least the storage system of `to`.
  [[nodiscard]] const std::vector<std::string>& tiers() const { return tiers_; }

 private:
  /// Whether nothing that moves is copied into a page cache, or out of it.    [host.md, table 1]
  [[nodiscard]] bool direct() const { return p_.direct || past_memory_; }
  /// Ranks of the hosts of `span` in `group`.
  [[nodiscard]] double ranks_in(const HostGroup& group, const HostSpan& span) const;
  /// To the memory of other hosts, or from there.
  [[nodiscard]] sim::Task<Served> with_peers(const Mover& mover, Bytes bytes);
  /// What one of the ranks on a host may take of `all`; infinite where links share it out.
  [[nodiscard]] Rate fair(const Mover& mover, Rate all) const;
  /// What a link of the movers' host group carries of one host.
  [[nodiscard]] Rate per_host(const Mover& mover, sim::LinkId link) const;
  [[nodiscard]] bool is_storage(std::string_view tier) const;
  [[nodiscard]] sim::Task<Served> write(const Mover& mover, const std::string& tier, Piece piece);
  /// What moves on a storage tier, with its core time.
  [[nodiscard]] sim::Task<Served> on_cores(const Mover& mover, const std::string& tier,
                                           const Client& client, sim::Task<Served> moving,
                                           HostCores::Operation operation);
  /// `moving`, over when the job may have begun its operations, too.
  [[nodiscard]] sim::Task<Served> in_line(const Client& client, double named, Bytes bytes,
                                          double files, sim::Task<Served> moving);
  [[nodiscard]] sim::Task<Served> until_begun(const OperationLine& line, Seconds begun,
                                              sim::Task<Served> moving);
  /// `mount` as `threads` threads of each member use it.
  [[nodiscard]] Client threads_of(const Mover& mover, const std::string& tier);
  /// What links of its own one host of a group reads and writes by.
  struct WayOfHost {
    Rate read, write;
  };
  [[nodiscard]] const WayOfHost& way_of_host(std::size_t group, const std::string& tier);

  sim::Context& context_;
  Plant& plant_;
  CheckpointParams p_;
  std::string job_, host_;
  HostParams host_params_;
  RankSpread spread_;
  bool past_memory_;
  CheckpointLayout layout_;
  std::vector<std::string> tiers_;
  std::map<std::string, std::vector<std::optional<WayOfHost>>> ways_;  ///< by tier and group
  Seconds uncontended_cpu_;
  Bytes buffered_;
};

}  // namespace stallcast::models
