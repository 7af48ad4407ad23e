#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "stallcast/units.hpp"

namespace stallcast::sim {

/// Weighted max-min sharing of links among flows, and when each flow ends.
///
/// Flows with the same path, members and cap form a group that shares one rate, so a group keeps
/// one clock in bytes per member and a heap of the readings at which its flows end. Ending a flow
/// costs O(log n); sharing anew costs O(groups x path x log links) and happens only when the number
/// of flows in a group, or a capacity, differs from what it was at the last sharing.
///
/// Flows end together when their remaining work is below 1e-12 of their size, or their remaining
/// time below the resolution of the date.
class FluidSolver {
 public:
  using FlowKey = std::uint32_t;

  LinkId add_link(Rate capacity);
  /// From the current date on.
  void set_capacity(LinkId link, Rate capacity);
  /// Starts a flow now; `key` is what `advance` will report. A link that occurs twice in `path` is
  /// used twice. REQUIRES: path not empty, bytes > 0 and finite, members > 0, cap > 0.
  void start(FlowKey key, std::span<const LinkId> path, Bytes bytes, double members, Rate cap);

  /// Date at which the next flow ends; infinity if none runs.
  [[nodiscard]] Seconds next_completion();
  /// Moves the date to `to` and appends the keys of flows that ended, in the order of their starts.
  /// REQUIRES: now <= to <= next_completion() (up to rounding).
  void advance(Seconds to, std::vector<FlowKey>& ended);

  /// Share of a running flow that has not arrived yet. Costs O(flows).
  [[nodiscard]] double left_of(FlowKey key) const;
  [[nodiscard]] std::size_t flows() const { return flows_; }
  /// How often capacity was shared anew so far.
  [[nodiscard]] std::uint64_t solves() const { return solves_; }

 private:
  struct Member {
    double end;  // reading of the group's clock, in bytes
    double bytes;
    std::uint64_t order;
    FlowKey key;
    bool operator>(const Member& other) const {
      return end != other.end ? end > other.end : order > other.order;
    }
  };
  struct Group {
    std::vector<std::uint32_t> path;
    double members = 1.0;
    double cap = 0.0;    // B/s per member
    double rate = 0.0;   // B/s per member since `read_at`
    double clock = 0.0;  // bytes per member, at `read_at`
    double read_at = 0.0;
    double due = std::numeric_limits<double>::infinity();  // earliest date to look for ended flows
    std::size_t shared_flows = 0;                          // flows at the last sharing
    std::size_t ended = 0;                                 // since the clock was last set back
    bool listed = false;                                   // in active_
    bool frozen = false;                                   // scratch of `share`
    std::vector<Member> heap;
  };
  struct Link {
    double capacity;
    double used = 0.0;        // scratch of `share`: by groups whose rate is known
    double weight = 0.0;      // scratch: of the others
    std::uint32_t open = 0;   // scratch: how many others, with multiplicity
    std::uint32_t first = 0;  // scratch: where its groups begin in crossing_
    std::uint32_t last = 0;
  };

  Group& group_of(std::span<const LinkId> path, double members, double cap);
  void mark(Group& group, bool differed_before);
  void read_clock(Group& group);
  void set_due(Group& group);
  void take_ended(Group& group);
  void share();
  void list_crossings();
  void freeze(Group& group, double rate);
  void forget_idle_groups();

  double now_ = 0.0;
  double next_ = std::numeric_limits<double>::infinity();
  bool next_known_ = true;
  bool capacity_changed_ = false;
  std::size_t differing_ = 0;  // groups whose number of flows differs from shared_flows
  std::size_t flows_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t solves_ = 0;
  std::vector<Link> links_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> active_;  // groups with flows, or that had some at the last sharing
  std::vector<std::uint32_t> free_groups_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> group_by_hash_;
  std::vector<std::uint32_t> touched_;                    // scratch of `share`
  std::vector<std::uint32_t> crossing_;                   // scratch: groups by link
  std::vector<std::pair<double, std::uint32_t>> levels_;  // scratch: heap
  std::vector<std::pair<std::uint64_t, FlowKey>> ended_;  // scratch of `advance`
};

}  // namespace stallcast::sim
