#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/contract/rank_spread.hpp"
#include "models/plant/host_groups.hpp"

namespace stallcast::models {

/// A class of ranks of one job that act alike, in one group of hosts.
struct RankPlace {
  std::size_t group = 0;
  double members = 1.0;
  bool more_files = false;  ///< a rank was dealt one file more than the poorest has
};

/// How the ranks of a job are folded into classes: every class stands for `members` ranks that act
/// alike; equal classes differ only by their random draws. docs/models/folding.md.
struct RankLayout {
  double ranks = 1.0;               ///< of the job
  double per_copy = 1.0;            ///< ranks that hold one copy of the model, where one reads
  double hosts = 1.0;               ///< of its host class
  std::size_t per_group = 1;        ///< classes in a group of hosts whose ranks are alike
  double more_files = 0.0;          ///< ranks that read and have one file more than the others
  std::vector<RankPlace> places{};  ///< of the classes
  bool gds = false;                 ///< batches go from storage to the GPU past host memory
  bool keeps_up = false;            ///< presumed of its loaders: Presumption::loaders_keep_up
  bool gds_saves = false;           ///< saves and restores go between the GPU and storage past it

  [[nodiscard]] std::size_t classes() const { return places.size(); }
  [[nodiscard]] RankSpread spread() const { return {ranks, hosts}; }
  /// On the host that has the most of them, as of those with a loader below.
  [[nodiscard]] double ranks_per_host() const { return spread().most(); }
  /// Hosts that have ranks.
  [[nodiscard]] double used_hosts() const { return spread().used(); }
  /// Ranks that have a loader, of the job and of one class.    [docs/models/training.md, eq. 4]
  [[nodiscard]] double readers() const { return ranks / per_copy; }
  [[nodiscard]] double readers(const RankPlace& place) const { return place.members / per_copy; }
  /// Hosts that these are on: one on each, where there are no more.
  [[nodiscard]] double reading_hosts() const { return std::min(hosts, readers()); }
  /// As a share of the hosts with ranks.
  [[nodiscard]] double reading_share() const { return reading_hosts() / used_hosts(); }
  [[nodiscard]] RankSpread reader_spread() const { return {readers(), reading_hosts()}; }
  [[nodiscard]] double readers_per_host() const { return reader_spread().most(); }
  /// Hosts of as many readers as the fullest that would have all of them: who waits for the cores
  /// of one waits for those.
  [[nodiscard]] double hosts_read_by() const { return readers() / readers_per_host(); }
  /// Readers of the first `of` hosts: where hosts with ranks have none, they are all among them.
  [[nodiscard]] double readers_on_first(double of) const {
    return reading_share() < 1.0 ? readers() * std::min(1.0, of / used_hosts())
                                 : reader_spread().on_first(of);
  }
  /// Readers in `group`, of those of the hosts that are alike. REQUIRES: borders where hosts have
  /// fewer.    [docs/models/folding.md, eq. 1]
  [[nodiscard]] double readers_in(const HostGroup& group) const {
    const double from = group.alike_from();
    return (readers_on_first(from + group.alike) - readers_on_first(from)) *
           group.reading_part(reading_share());
  }
  /// Ranks of a class over those of the mean class: what it counts for in means over ranks.
  [[nodiscard]] double weight(const RankPlace& place) const {
    return place.members * static_cast<double>(classes()) / ranks;
  }
};

}  // namespace stallcast::models
