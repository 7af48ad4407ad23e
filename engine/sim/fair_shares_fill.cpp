#include <algorithm>
#include <cassert>
#include <functional>

#include "engine/sim/fair_shares.hpp"

/// Progressive filling, of no more than a change concerns.
namespace stallcast::sim {
namespace {

// So few levels are searched, more are a heap.
constexpr std::size_t kFew = 12;

}  // namespace

// Shares anew what full links couple to the groups in `fresh_` and the links in `to_open_`.
void FairShares::share_anew() {
  ++fillings_;
  for (const std::uint32_t group : fresh_) choose(group);
  fresh_.clear();
  do {
    while (!to_open_.empty()) {
      const std::uint32_t link = to_open_.back();
      to_open_.pop_back();
      open(link);
    }
    fill();
    spread();
  } while (!to_open_.empty());
  settle();
}

void FairShares::see(std::uint32_t index) {
  Link& link = links_[index];
  if (link.seen) return;
  link.seen = true;
  link.opened = false;
  link.chosen_flows = 0;
  seen_.push_back(index);
}

void FairShares::choose(std::uint32_t index) {
  Group& group = groups_[index];
  if (group.chosen) return;
  group.chosen = true;
  chosen_.push_back(index);
  const double taken = group.bound == kNobody ? 0.0 : total(group) * most(group);
  for (const std::uint32_t at : group.path) {
    Link& link = links_[at];
    see(at);
    link.chosen_flows += group.flows;
    link.flows += group.flows - group.shared;
    if (link.level == kNever)
      link.taken -= taken;
    else
      to_open_.push_back(at);
  }
  group.shared = group.flows;
}

void FairShares::open(std::uint32_t index) {
  see(index);
  if (links_[index].opened) return;
  links_[index].opened = true;
  for (const std::uint32_t group : links_[index].crossing)
    if (groups_[group].flows > 0) choose(group);
  if (links_[index].chosen_flows != links_[index].flows) crowded_ = true;
}

// Progressive filling of what the others leave: the rate per weight rises for all chosen groups
// alike until a link is full or a cap is reached; the groups concerned keep that rate and the
// others go on.
void FairShares::fill() {
  for (const std::uint32_t at : seen_) {
    Link& link = links_[at];
    link.used = link.chosen_flows == link.flows ? 0.0 : link.taken;
    link.open_weight = 0.0;
    link.open_groups = 0;
    link.next_level = kNever;
  }
  filled_groups_ += chosen_.size();
  const auto groups_from = static_cast<std::uint32_t>(links_.size());
  levels_.clear();
  for (const std::uint32_t index : chosen_) {
    Group& group = groups_[index];
    group.next_bound = kNobody;
    const double weight = total(group);
    for (const std::uint32_t at : group.path) {
      links_[at].open_weight += weight;
      ++links_[at].open_groups;
    }
  }
  for (const std::uint32_t index : chosen_) limit(index);
  for (const std::uint32_t at : seen_) {
    const Link& link = links_[at];
    if (link.open_groups > 1)
      levels_.emplace_back((link.capacity - link.used) / link.open_weight, at);
  }
  if (levels_.size() > kFew) std::make_heap(levels_.begin(), levels_.end(), std::greater<>{});
  std::size_t open = chosen_.size();
  double level = 0.0;
  while (open > 0) {
    assert(!levels_.empty());
    const auto [stored, index] = take_least();
    if (index >= groups_from) {
      Group& group = groups_[index - groups_from];
      if (group.next_bound != kNobody) continue;
      level = std::max(level, stored);
      if (group.limit_by != kOwnCap) links_[group.limit_by].next_level = stored;
      freeze(group, stored, group.limit_by);
      --open;
      continue;
    }
    Link& link = links_[index];
    if (link.open_groups == 0) continue;
    // The level of a link only rises while others freeze below it.
    const double now = std::max(level, (link.capacity - link.used) / link.open_weight);
    if (now > stored && !levels_.empty()) {
      levels_.emplace_back(now, index);
      if (levels_.size() > kFew) std::push_heap(levels_.begin(), levels_.end(), std::greater<>{});
      continue;
    }
    link.next_level = level = now;
    name(link);
    for (std::size_t i = 0; i < link.crossing.size(); ++i) {
      if (i + kAhead < link.crossing.size()) prefetch(link.crossing[i + kAhead]);
      Group& group = groups_[link.crossing[i]];
      if (!group.chosen || group.next_bound != kNobody) continue;
      freeze(group, level, index);
      --open;
    }
  }
}

// What bounds the group if no link does that others cross.
void FairShares::limit(std::uint32_t index) {
  Group& group = groups_[index];
  double least = group.cap;
  group.limit_by = kOwnCap;
  for (const std::uint32_t at : group.path) {
    const Link& link = links_[at];
    if (link.open_groups > 1) continue;
    const double level = (link.capacity - link.used) / link.open_weight;
    if (level >= least) continue;
    least = level;
    group.limit_by = at;
  }
  if (least < kNever)
    levels_.emplace_back(least, static_cast<std::uint32_t>(links_.size()) + index);
}

std::pair<double, std::uint32_t> FairShares::take_least() {
  if (levels_.size() > kFew)
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>{});
  else
    std::iter_swap(std::min_element(levels_.begin(), levels_.end()), levels_.end() - 1);
  const auto least = levels_.back();
  levels_.pop_back();
  return least;
}

void FairShares::freeze(Group& group, double rate, std::uint32_t bound) {
  group.next_bound = bound;
  const double weight = total(group);
  for (const std::uint32_t at : group.path) {
    Link& link = links_[at];
    link.used += weight * rate;
    link.open_weight -= weight;
    --link.open_groups;
  }
}

// A link that is full now concerns all that cross it.
void FairShares::spread() {
  for (const std::uint32_t at : seen_) {
    const Link& link = links_[at];
    if (link.next_level < kNever && link.chosen_flows != link.flows && !link.opened)
      to_open_.push_back(at);
  }
}

void FairShares::settle() {
  for (const std::uint32_t at : seen_) {
    Link& link = links_[at];
    link.taken = link.chosen_flows == link.flows ? 0.0 : link.taken;
    if (link.next_level != link.level) {
      link.level = link.next_level;
      if (link.level < kNever) shifted_.push_back(at);
    }
    link.weight = link.bottom = 0.0;
    link.bounds = 0;
    link.sums = 0;
    link.rigid = false;
    link.lid = 0.0;          // of none yet
    link.open_weight = 0.0;  // from here on: of what moves with other links' levels
  }
  for (const std::uint32_t index : chosen_) {
    Group& group = groups_[index];
    if (group.next_bound != group.bound) {
      group.bound = group.next_bound;
      moved_.push_back(index);
    }
    const double weight = total(group);
    for (const std::uint32_t at : group.path) {
      Link& link = links_[at];
      if (at == group.bound) {
        link.weight += weight;
        link.bounds += group.flows;
        link.lid = link.lid == 0.0 || link.lid == group.cap ? group.cap : kNever;
      } else if (group.bound == kOwnCap) {
        link.bottom = std::max(link.bottom, group.cap);
      } else if (link.level < kNever) {
        link.rigid = links_[group.bound].rigid = true;
      } else {
        link.open_weight += weight;
      }
    }
  }
  set_tops();
  for (const std::uint32_t index : chosen_) {
    Group& group = groups_[index];
    group.chosen = false;
    const double taken = total(group) * most(group);
    for (const std::uint32_t at : group.path)
      if (at != group.bound) links_[at].taken += taken;
  }
  for (const std::uint32_t at : seen_) {
    links_[at].seen = false;
    links_[at].heaviest = links_[at].weight;
    if (links_[at].lid == 0.0) links_[at].lid = kNever;
  }
  chosen_.clear();
  seen_.clear();
}

// A link that is not full has as much left as the levels of those that cross it may rise together:
// each by the same difference, what is left per weight. They may use half of it: the rest is for
// flows that come, which reserve as much as each of those.
void FairShares::set_tops() {
  for (const std::uint32_t at : seen_) {
    Link& link = links_[at];
    link.top = link.level == kNever || link.rigid ? link.level : link.level * kHeadroom;
  }
  for (const std::uint32_t index : chosen_) {
    const Group& group = groups_[index];
    if (group.bound == kOwnCap) continue;
    Link& by = links_[group.bound];
    if (by.rigid) continue;
    by.top = std::min(by.top, group.cap);
    for (const std::uint32_t at : group.path) {
      const Link& link = links_[at];
      if (at == group.bound) continue;
      const double left = link.capacity * (1.0 - kFull) - link.used;
      by.top = std::min(by.top, by.level + std::max(0.0, left) / (2.0 * link.open_weight));
    }
  }
}

}  // namespace stallcast::sim
