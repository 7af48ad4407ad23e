#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/sim/memory.hpp"
#include "engine/sim/short_list.hpp"

namespace stallcast::sim {

/// Weighted max-min shares of links among groups of equal flows, kept up to date as flows come and
/// go. Every flow of a group gets the same rate: its cap, or the level of the link that bounds it,
/// the one level of all groups that this link bounds.
///
/// What a change costs depends on what it changes, not on how many flows there are:
/// - Most changes leave it as it is who is bounded by what. Then only levels move: O(path).
/// - Otherwise the groups that full links couple to the change are shared anew by progressive
///   filling, and more of them as long as that fills further links.
/// To know without looking at every group that nobody else is concerned, a group reserves on the
/// links that do not bound it what it would take at the `top` of its level: while levels stay below
/// their tops, no other link can become full.
///
/// A group need not name all links that its flows cross. Of a link that flows of one group only
/// pass it is enough to know that their rate does not fill it; so flows of a thousand hosts, each
/// with a port of its own, that fill one pool are one group of it. A link that was full once, or
/// that others cross, is named by all who cross it (fair_shares_pass.cpp).
class FairShares {
 public:
  static constexpr std::uint32_t kOwnCap = 0xffffffff;  ///< bounded by the cap of its flows
  static constexpr std::uint32_t kNobody = 0xfffffffe;  ///< no flows

  std::uint32_t add_link(double capacity);
  void set_capacity(std::uint32_t link, double capacity);
  /// A group without flows; each of its flows has this weight and gets at most cap x weight. A link
  /// that occurs twice in `path` is used twice. REQUIRES: path not empty, weight > 0, cap > 0.
  std::uint32_t add_group(std::span<const std::uint32_t> path, double weight, double cap);
  /// Forgets groups, which have no flows; their numbers are given away again.
  void remove_groups(std::span<const std::uint32_t> groups);
  [[nodiscard]] bool removed(std::uint32_t group) const { return groups_[group].removed; }
  void set_flows(std::uint32_t group, std::uint32_t flows) {
    Group& to = groups_[group];
    if ((to.flows == 0) != (flows == 0)) ask(to, flows > 0);
    to.flows = flows;
    if (to.changed) return;
    to.changed = true;
    changed_.push_back(group);
  }
  /// Its flows are about to be set.
  void prefetch(std::uint32_t group) const { sim::prefetch(&groups_[group]); }
  /// Flows that cross it are about to be.
  void prefetch_link(std::uint32_t link) const { sim::prefetch(&links_[link]); }
  /// Whether its flows were set since the last `update`.
  [[nodiscard]] bool changed(std::uint32_t group) const { return groups_[group].changed; }
  /// Whether it was added with these.
  [[nodiscard]] bool is(std::uint32_t group, std::span<const std::uint32_t> path, double weight,
                        double cap) const {
    const Group& g = groups_[group];
    if (g.weight != weight || g.cap != cap || g.path.size() != path.size()) return false;
    for (std::uint32_t i = 0; i < path.size(); ++i)
      if (path[i] != g.path.begin()[i]) return false;
    return true;
  }

  /// Whether the links of `path`, none of which is full, have room for a flow that moves at `rate`
  /// and belongs to no group: then they keep it, until it is released.
  [[nodiscard]] bool reserve(std::span<const std::uint32_t> path, double rate);
  void release(std::span<const std::uint32_t> path, double rate);
  /// Whether links that have become full are crossed by flows without a group: to be released and
  /// put into groups before the next `update`. Until then not all groups need have a bound.
  [[nodiscard]] bool crowded() const { return crowded_; }

  /// In `path`, the links that the group of a flow has to name come first: returns how many, all
  /// where there are none. Flows that pass one of them are to look for other groups: `outdated`.
  [[nodiscard]] std::uint32_t put_named_first(std::span<std::uint32_t> path);
  /// They are all named.
  void keep_named(std::span<const std::uint32_t> path);
  /// Each `update` looks at all groups whose flows pass links: whether this may be one of them.
  [[nodiscard]] bool may_pass(std::uint32_t group) const {
    return groups_[group].passing > 0 || passing_.size() < kMostPassing;
  }
  /// A flow of `group` passes `links`, if they have room; else more of them are to be named.
  [[nodiscard]] bool pass(std::uint32_t group, std::span<const std::uint32_t> links, double weight);
  /// REQUIRES: it does, those of `path` behind as many as the group names.
  void pass_no_more(std::uint32_t group, std::span<const std::uint32_t> path, double weight);
  [[nodiscard]] bool passes(std::uint32_t group) const { return groups_[group].passing > 0; }
  [[nodiscard]] bool any_passes() const { return !passing_.empty(); }
  /// Groups with flows that pass links which others name now: these flows need others. Until they
  /// have, nothing is to be shared.
  [[nodiscard]] LongVector<std::uint32_t>& outdated() { return outdated_; }
  /// Groups that may fill links they pass, after an `update`. To be looked at: `look`, `look_again`
  /// for each of its flows; then `strained` says whether it does, `name_narrow` names those links.
  [[nodiscard]] const LongVector<std::uint32_t>& in_doubt() const { return in_doubt_; }
  void look(std::uint32_t group) { groups_[group].most_passing = kNever; }
  void look_again(std::uint32_t group, std::span<const std::uint32_t> path);
  void name_narrow(std::uint32_t group, std::span<const std::uint32_t> path);
  [[nodiscard]] bool strained(std::uint32_t group) const {
    const Group& g = groups_[group];
    return g.passing > 0 && g.bound != kNobody && rate(group) > g.most_passing * kOver;
  }
  /// How many links are named for good.
  [[nodiscard]] std::size_t named() const { return named_; }
  /// Whether it names links that its flows might pass.
  [[nodiscard]] bool names_more(std::uint32_t group) const {
    const auto named = [this](std::uint32_t at) { return links_[at].named; };
    const auto& path = groups_[group].path;
    return std::ranges::any_of(path, named) && !std::ranges::all_of(path, named);
  }

  /// Brings the shares up to date; afterwards the next three say what is different.
  void update();
  /// Groups whose flows were set.
  [[nodiscard]] const LongVector<std::uint32_t>& updated() const { return updated_; }
  /// Groups with flows that are not bounded by what they were.
  [[nodiscard]] const LongVector<std::uint32_t>& moved() const { return moved_; }
  /// Links whose level is not what it was, and bound somebody.
  [[nodiscard]] const LongVector<std::uint32_t>& shifted() const { return shifted_; }

  /// The link that bounds the group, kOwnCap or kNobody.
  [[nodiscard]] std::uint32_t bound(std::uint32_t group) const { return groups_[group].bound; }
  /// Rate per unit of weight of what the link bounds.
  [[nodiscard]] double level(std::uint32_t link) const { return links_[link].level; }
  /// Rate per unit of weight. REQUIRES: the group has flows.
  [[nodiscard]] double rate(std::uint32_t group) const {
    const Group& g = groups_[group];
    return g.bound == kOwnCap ? g.cap : links_[g.bound].level;
  }
  /// How often capacity was shared anew among some groups.
  [[nodiscard]] std::uint64_t fillings() const { return fillings_; }
  /// Among how many, all these times together.
  [[nodiscard]] std::uint64_t filled_groups() const { return filled_groups_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  // A link that is full but for this part of its capacity is taken as full, which costs at most
  // time: sums that are kept up to date err by less.
  static constexpr double kFull = 1e-9;
  // How far levels may rise before others are looked at. More saves fillings when flows end, and
  // causes some when flows start, since links are reserved for it.
  static constexpr double kHeadroom = 4.0;
  static constexpr std::size_t kMostPassing = 32;
  static constexpr double kOver = 1.0 + kFull;

  struct alignas(kCacheLine) Group {
    ShortList<std::uint32_t, 4> path;
    double weight = 1.0;  // of one flow
    double cap = kNever;
    std::uint32_t flows = 0;   // asked for
    std::uint32_t shared = 0;  // that the links account for
    std::uint32_t bound = kNobody;
    std::uint32_t next_bound = kNobody;  // scratch of a filling
    std::uint32_t limit_by = kOwnCap;    // scratch: its cap or a link that no other crosses
    bool changed = false;                // in changed_
    bool chosen = false;                 // in chosen_
    bool removed = false;
    bool twice = false;            // crosses a link twice
    std::uint32_t passing = 0;     // flows that pass links
    double most_passing = kNever;  // rate per weight at which these have room
  };
  struct alignas(kCacheLine) Link {
    double capacity = 0.0;
    double level = kNever;              // kNever: bounds nobody
    double taken = 0.0;                 // by what it does not bound, at their tops
    double passing = 0.0;               // weight of those who pass it
    std::uint32_t passed = 0;           // by so many flows
    std::uint32_t passed_by = kNobody;  // their group
    std::uint32_t flows = 0;            // that cross it, with multiplicity
    std::uint32_t alone = 0;            // of those, that belong to no group
    std::uint32_t asked = 0;            // by groups with flows that name it, as they were set last
    std::uint32_t sums = 0;             // added up since the last filling
    bool rigid = false;                 // a change of its level changes another link's
    bool touched = false;               // in touched_
    bool seen : 1 = false;              // in seen_
    bool opened : 1 = false;            // all groups that cross it are chosen
    bool named = false;                 // by all who cross it
    // In a second line of the cache: of links that bound somebody, and scratch of a filling.
    double top = kNever;  // so far `level` may rise without a filling
    double weight = 0.0;  // of what it bounds
    // Cap of all that it bounds, where they have one: they stay at it when the link is no longer
    // full, and are not shared anew.
    double lid = kNever;
    double bottom = 0.0;                  // so far `level` may fall without a filling
    double heaviest = 0.0;                // `weight` at most since the last filling
    std::uint32_t bounds = 0;             // flows that it bounds
    std::vector<std::uint32_t> crossing;  // groups, also those without flows
    double used = 0.0;
    double open_weight = 0.0;
    double next_level = kNever;
    std::uint32_t open_groups = 0;
    std::uint32_t chosen_flows = 0;
  };

  [[nodiscard]] double total(const Group& group) const {
    return group.weight * static_cast<double>(group.flows);
  }
  [[nodiscard]] double most(const Group& group) const {
    return group.bound == kOwnCap ? group.cap : links_[group.bound].top;
  }
  [[nodiscard]] double room(const Link& link) const;
  [[nodiscard]] double soon(std::uint32_t group) const;
  void ask(const Group& group, bool begins);
  void name(Link& link);
  void keep_named(Link& link);
  [[nodiscard]] bool lets_pass(Link& link, double rate);
  void touch(std::uint32_t link);
  void put_off();
  void account(Group& group);
  static void clear(Link& link);
  [[nodiscard]] bool place(std::uint32_t group);
  [[nodiscard]] static bool fits(const Group& group, const Link& link);
  void place_alone(Group& group);
  [[nodiscard]] bool shift(std::uint32_t link);
  void share_anew();
  void choose(std::uint32_t group);
  void see(std::uint32_t link);
  void open(std::uint32_t link);
  void fill();
  void limit(std::uint32_t group);
  std::pair<double, std::uint32_t> take_least();
  void freeze(Group& group, double rate, std::uint32_t bound);
  void spread();
  void settle();
  void set_tops();

  LongVector<Link> links_;
  LongVector<Group> groups_;
  LongVector<std::uint32_t> free_groups_;
  LongVector<std::uint32_t> changed_;  // groups
  LongVector<std::uint32_t> updated_;
  LongVector<std::uint32_t> touched_;  // links whose sums or capacity changed
  LongVector<std::uint32_t> fresh_;    // groups that nothing bounds yet
  LongVector<std::uint32_t> moved_;
  LongVector<std::uint32_t> shifted_;
  LongVector<std::uint32_t> passing_;   // groups with flows that pass links
  LongVector<std::uint32_t> outdated_;  // groups
  LongVector<std::uint32_t> in_doubt_;  // groups
  std::size_t named_ = 0;
  std::uint64_t fillings_ = 0, filled_groups_ = 0;
  bool crowded_ = false;
  // Of the filling under way:
  LongVector<std::uint32_t> chosen_;  // groups
  LongVector<std::uint32_t> seen_;    // links they cross
  LongVector<std::uint32_t> to_open_;
  LongVector<std::pair<double, std::uint32_t>> levels_;  // heap
};

}  // namespace stallcast::sim
