#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/fair_shares.hpp"
#include "engine/sim/keyed_heap.hpp"
#include "engine/sim/loose_flows.hpp"
#include "engine/sim/memory.hpp"
#include "engine/sim/short_list.hpp"
#include "stallcast/units.hpp"

namespace stallcast::sim {

/// Weighted max-min sharing of links among flows, and when each flow ends.
///
/// Flows with the same path, members and cap form a group that shares one rate. What moves at one
/// rate has one clock, which reads bytes per member: each link has one for all groups that it
/// bounds, and each group one for when its cap bounds it (FairShares says which). A flow ends at a
/// reading of its group, which is that of the clock but for an offset, so when the level of a link
/// changes, nothing has to be done for the flows it bounds. Starting or ending a flow costs
/// O(log n), and more only where FairShares has to look at others.
///
/// Where there are many, flows of one group may cross links that no other group does, each with
/// room for them: FairShares says where, and when that is over.
///
/// Flows that have a cap, and links with room for all of them at their caps, need none of this:
/// they are loose (LooseFlows). When a link of theirs becomes full, all of them get groups.
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

  /// A flow is soon started that crosses it.
  void prefetch_link(LinkId link) const { shares_.prefetch_link(link.index); }

  /// Date at which the next flow ends; infinity if none runs.
  [[nodiscard]] Seconds next_completion() {
    if (!next_known_) find_next();
    return Seconds::from(std::min(next_, std::max(loose_.next(), now_)), unit::s);
  }
  /// Moves the date to `to` and appends the keys of flows that ended, in the order of their starts.
  /// REQUIRES: now <= to <= next_completion() (up to rounding).
  void advance(Seconds to, std::vector<FlowKey>& ended) {
    const double first = next_completion().in(unit::s);
    now_ = std::max(now_, to.in(unit::s));
    if (first <= last_together()) take_ended(ended);
  }

  /// Share of a flow that has not arrived yet: of one that has ended, 0 until its key is used
  /// again.
  [[nodiscard]] double left_of(FlowKey key) const;
  [[nodiscard]] std::size_t flows() const { return flows_; }
  /// How often capacity was shared anew among some groups so far.
  [[nodiscard]] std::uint64_t solves() const { return shares_.fillings(); }
  /// Among how many, all these times together.
  [[nodiscard]] std::uint64_t solved_groups() const { return shares_.filled_groups(); }

 private:
  static constexpr std::uint32_t kNoClock = 0xffffffff, kNoGroup = 0xffffffff;
  static constexpr FlowKey kNoKey = 0xffffffff;
  static constexpr std::size_t kFewFlows = 128;
  static constexpr std::size_t kBackOff = 16;  // flows that begin for each that was moved

  struct Member {
    double end;  // reading of the group
    double bytes;
    std::uint64_t order;
    FlowKey key;
    bool operator>(const Member& other) const {
      return end != other.end ? end > other.end : order > other.order;
    }
  };
  struct Clock {
    double rate = 0.0;     // B/s per member since `read_at`
    double reading = 0.0;  // bytes per member, at `read_at`
    double read_at = 0.0;
    std::size_t ended = 0;  // flows, since it was last set back
    bool stale = false;     // in stale_
    KeyedHeap groups;       // by the reading at which their first flow ends
  };
  struct alignas(kCacheLine) Group {  // by its number in shares_
    std::uint32_t own = kNoClock;     // clock for when its cap bounds it, once it did
    std::uint32_t clock = kNoClock;   // that it follows
    double offset = 0.0;              // its reading less the clock's; its reading without a clock
    std::uint32_t ended = 0;          // flows, since its reading was last set back
    std::uint32_t expected = 0;       // in this `share` its clock was last told of it
    ShortList<Member, 1> heap;
  };
  struct Moving {
    std::uint64_t order;
    FlowKey key;
    double left;
  };
  using Ended = std::pair<std::uint64_t, FlowKey>;  // with its order
  struct Place {                                    // of a flow in a group
    std::uint32_t group = kNoGroup;
    double end = 0.0;  // as of Member
  };
  struct Known {  // a group in the table
    std::uint32_t hash = 0;
    std::uint32_t group = kNoGroup;
  };

  void join(FlowKey key, double left, LooseFlows::Loose& flow);
  std::uint32_t find_group(LooseFlows::Loose& flow);
  std::uint32_t find_group(std::span<const std::uint32_t> path, double members, double cap);
  std::uint32_t group_of(std::span<const std::uint32_t> path, double members, double cap);
  [[nodiscard]] double read(const Group& group);
  std::uint32_t new_clock();
  void forget_idle_groups();
  void change(std::uint32_t group);
  double read(Clock& clock) const;
  void follow(std::uint32_t group, std::uint32_t clock);
  void expect(std::uint32_t group);
  void mark(std::uint32_t clock);
  // Two dates (or clock readings) closer than this are one: four steps of the floating-point grid.
  static double resolution(double reading) {
    return 4.0 * std::numeric_limits<double>::epsilon() * reading;
  }
  static constexpr double kTogether = 1e-12;
  // A flow may end with the first one although its own date is 1e-12 of its size later, hence the
  // margin before the exact test in take_ended.
  [[nodiscard]] double last_together() const { return now_ + kTogether * now_ + resolution(now_); }
  void find_next();
  void share();
  void share_groups();
  void group_loose();
  void split(LongVector<std::uint32_t>& groups);
  bool relieve();
  bool gather();
  void in_order_of_start(std::vector<FlowKey>& ended);
  void take_ended(std::vector<FlowKey>& ended);
  void take_ended_loose(double last);
  void take_ended(std::uint32_t clock);
  void take_ended(std::uint32_t group, double reading, double rate);

  double now_ = 0.0;
  double next_ = std::numeric_limits<double>::infinity();
  bool next_known_ = true;
  std::size_t flows_ = 0;
  std::uint64_t next_order_ = 0;
  FairShares shares_;
  std::vector<Clock> clocks_;
  KeyedHeap dates_;                         // clocks, by when their first flow ends
  KeyedHeap::Places clock_places_;          // in dates_
  std::vector<std::uint32_t> link_clocks_;  // by link
  std::uint32_t share_ = 0;                 // how often it was called
  LongVector<Group> groups_;
  KeyedHeap::Places group_places_;   // in the groups of their clocks
  LongVector<Place> places_;         // by FlowKey: of those in groups
  LongVector<Known> table_;          // by hash, with open addressing
  std::size_t known_ = 0;            // groups in table_
  std::size_t busy_ = 0;             // groups with flows
  LongVector<std::uint32_t> stale_;  // clocks whose next date is to be found anew
  LooseFlows loose_;
  std::uint64_t loose_from_ = 0;     // order of starts from which on flows may be loose
  std::uint64_t many_until_ = 0;     // order of starts up to which links may be passed
  std::size_t named_ = 0;            // links, when groups were gathered
  std::uint64_t gather_from_ = 0;    // order of starts from which on they may be again
  std::uint32_t found_ = kNoGroup;   // by the flow that started last
  LongVector<std::uint32_t> apart_;  // groups whose flows look for others
  LongVector<Moving> moving_;        // scratch of `split`
  LongVector<std::uint32_t> due_;    // scratch of `advance`
  LongVector<std::uint32_t> first_;  // scratch of `take_ended`
  LongVector<Ended> ended_;          // scratch of `advance`
  LongVector<FlowKey> started_;      // scratch of `in_order_of_start`
};

}  // namespace stallcast::sim
