#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/checkpoint.hpp"
#include "models/stage/job_order.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What saves take of the room they lie in. docs/models/capacity.md, eq. 2.
namespace stallcast::models {

/// The saves of a job.
struct KeptSaves {
  CheckpointParams params;
  std::set<std::string> tiers{};  ///< that they go to
  Bytes state{};                  ///< of one whole save, as it is stored
  double files = 1.0;             ///< of one
  double holders = 1.0;           ///< hosts that would hold it if all held as much as the fullest
  Seconds interval{};             ///< without stalls

  /// That only every n-th save reaches.
  [[nodiscard]] const std::string& last_tier() const {
    return params.tiers.empty() ? params.to : params.tiers.back();
  }
  /// Saves from one that goes to the tier to the next.
  [[nodiscard]] std::int64_t drains(const std::string& tier) const {
    return tier == last_tier() ? params.drain_every : 1;
  }
  /// Saves that lie in a tier, with those that the oldest builds on, and the `next` one, which is
  /// complete before one of them goes.
  [[nodiscard]] double count(const std::string& tier, bool next) const;
  /// Whole ones that take as much.
  [[nodiscard]] double whole(const std::string& tier, bool next) const;
};

/// REQUIRES: the job saves, and its hosts are there.
[[nodiscard]] KeptSaves kept_saves(const Design& design, const JobDesign& job);

/// What is there of the saves of a job when room is fullest.
struct ThereOf {
  bool kept = true, next = true;
};
/// Of jobs by their numbers, whose saves take so much: `first` of what stays when a job has ended,
/// `second` of what does not.
[[nodiscard]] std::vector<ThereOf> there_at_one_time(
    const JobOrder& order, const std::vector<std::pair<Bytes, Bytes>>& saves);

}  // namespace stallcast::models
