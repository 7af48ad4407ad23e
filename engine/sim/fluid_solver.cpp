#include "engine/sim/fluid_solver.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>

namespace stallcast::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTogether = 1e-12;

// Two dates (or clock readings) closer than this are one: four steps of the floating-point grid.
double resolution(double reading) { return 4.0 * std::numeric_limits<double>::epsilon() * reading; }

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U);
  return seed;
}

}  // namespace

LinkId FluidSolver::add_link(Rate capacity) {
  links_.push_back({.capacity = capacity.in(unit::Bps)});
  return {.index = static_cast<std::uint32_t>(links_.size() - 1)};
}

void FluidSolver::set_capacity(LinkId link, Rate capacity) {
  Link& changed = links_[link.index];
  if (changed.capacity == capacity.in(unit::Bps)) return;
  changed.capacity = capacity.in(unit::Bps);
  capacity_changed_ = true;
  next_known_ = false;
}

void FluidSolver::start(FlowKey key, std::span<const LinkId> path, Bytes bytes, double members,
                        Rate cap) {
  assert(!path.empty() && bytes > Bytes{} && bytes.finite() && members > 0.0 && cap > Rate{});
  Group& group = group_of(path, members, cap.in(unit::Bps));
  const bool differed = group.heap.size() != group.shared_flows;
  read_clock(group);
  const double size = bytes.in(unit::B);
  group.heap.push_back(
      {.end = group.clock + size, .bytes = size, .order = next_order_++, .key = key});
  std::push_heap(group.heap.begin(), group.heap.end(), std::greater<>{});
  ++flows_;
  mark(group, differed);
  set_due(group);
}

FluidSolver::Group& FluidSolver::group_of(std::span<const LinkId> path, double members,
                                          double cap) {
  std::uint64_t hash =
      mix(std::bit_cast<std::uint64_t>(members), std::bit_cast<std::uint64_t>(cap));
  for (const LinkId link : path) hash = mix(hash, link.index);
  const auto same = [&](const Group& group) {
    return group.members == members && group.cap == cap &&
           std::equal(path.begin(), path.end(), group.path.begin(), group.path.end(),
                      [](LinkId a, std::uint32_t b) { return a.index == b; });
  };
  std::uint32_t index = 0;
  const auto [begin, end] = group_by_hash_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return same(groups_[entry.second]); });
  if (found != end) {
    index = found->second;
  } else {
    if (group_by_hash_.size() > 2 * active_.size() + 1024) forget_idle_groups();
    index = static_cast<std::uint32_t>(groups_.size());
    if (free_groups_.empty()) {
      groups_.emplace_back();
    } else {
      index = free_groups_.back();
      free_groups_.pop_back();
    }
    Group& group = groups_[index];
    group.path.clear();
    for (const LinkId link : path) group.path.push_back(link.index);
    group.members = members;
    group.cap = cap;
    group_by_hash_.emplace(hash, index);
  }
  Group& group = groups_[index];
  if (!group.listed) {
    group.listed = true;
    group.rate = 0.0;
    group.clock = 0.0;
    group.read_at = now_;
    group.ended = 0;
    active_.push_back(index);
  }
  return group;
}

// Groups are kept when their last flow ends, since most come back at once.
void FluidSolver::forget_idle_groups() {
  for (auto entry = group_by_hash_.begin(); entry != group_by_hash_.end();) {
    if (groups_[entry->second].listed) {
      ++entry;
      continue;
    }
    free_groups_.push_back(entry->second);
    entry = group_by_hash_.erase(entry);
  }
}

void FluidSolver::mark(Group& group, bool differed_before) {
  const bool differs = group.heap.size() != group.shared_flows;
  if (differs && !differed_before) ++differing_;
  if (!differs && differed_before) --differing_;
  next_known_ = false;
}

void FluidSolver::read_clock(Group& group) {
  group.clock = group.heap.empty() ? 0.0 : group.clock + group.rate * (now_ - group.read_at);
  group.read_at = now_;
}

void FluidSolver::set_due(Group& group) {
  group.due = kNever;
  if (group.heap.empty() || group.rate <= 0.0) return;
  const Member& first = group.heap.front();
  const double left = std::max(0.0, first.end - group.clock) / group.rate;
  group.due = group.read_at + left;
}

Seconds FluidSolver::next_completion() {
  if (!next_known_) {
    if (differing_ > 0 || capacity_changed_) share();
    next_ = kNever;
    for (const std::uint32_t index : active_) next_ = std::min(next_, groups_[index].due);
    next_ = std::max(next_, now_);
    next_known_ = true;
  }
  return Seconds::from(next_, unit::s);
}

void FluidSolver::advance(Seconds to, std::vector<FlowKey>& ended) {
  const double first = next_completion().in(unit::s);
  now_ = std::max(now_, to.in(unit::s));
  // A flow may end with the first one although its own date is 1e-12 of its size later, hence the
  // margin before the exact test in take_ended.
  if (first > now_ + kTogether * now_ + resolution(now_)) return;
  for (const std::uint32_t index : active_) {
    Group& group = groups_[index];
    if (group.heap.empty()) continue;
    const double margin = kTogether * group.heap.front().bytes / group.rate + resolution(now_);
    if (group.due <= now_ + margin) take_ended(group);
  }
  std::sort(ended_.begin(), ended_.end());
  for (const auto& [order, key] : ended_) ended.push_back(key);
  ended_.clear();
}

double FluidSolver::left_of(FlowKey key) const {
  for (const std::uint32_t index : active_) {
    const Group& group = groups_[index];
    const double clock = group.clock + group.rate * (now_ - group.read_at);
    for (const Member& member : group.heap)
      if (member.key == key) return std::max(0.0, (member.end - clock) / member.bytes);
  }
  return 0.0;
}

void FluidSolver::take_ended(Group& group) {
  const bool differed = group.heap.size() != group.shared_flows;
  read_clock(group);
  const double slack = group.rate * resolution(now_);
  while (!group.heap.empty()) {
    const Member& member = group.heap.front();
    if (member.end - group.clock > kTogether * member.bytes + slack + resolution(member.end)) break;
    ended_.emplace_back(member.order, member.key);
    std::pop_heap(group.heap.begin(), group.heap.end(), std::greater<>{});
    group.heap.pop_back();
    --flows_;
    ++group.ended;
  }
  if (group.heap.empty()) {
    group.clock = 0.0;
    group.ended = 0;
  } else if (group.ended > group.heap.size() + 64) {
    // Setting the clock back now and then keeps it as precise as the sizes of the flows.
    for (Member& member : group.heap) member.end -= group.clock;
    group.clock = 0.0;
    group.ended = 0;
  }
  mark(group, differed);
  set_due(group);
}

// Progressive filling: the rate of one member rises for all groups alike until a link is full or a
// cap is reached; the groups concerned keep that rate and the others go on. Since a group's weight
// is its members, equal rates per member are weighted max-min shares.
void FluidSolver::share() {
  ++solves_;
  std::erase_if(active_, [&](std::uint32_t index) {
    Group& group = groups_[index];
    group.shared_flows = group.heap.size();
    group.listed = group.shared_flows > 0;
    group.frozen = false;
    return !group.listed;
  });
  differing_ = 0;
  capacity_changed_ = false;
  list_crossings();

  // Caps are entries beyond the links.
  const auto caps_from = static_cast<std::uint32_t>(links_.size());
  levels_.clear();
  for (const std::uint32_t index : touched_) {
    levels_.emplace_back(links_[index].capacity / links_[index].weight, index);
  }
  for (const std::uint32_t index : active_) {
    if (groups_[index].cap < kNever) levels_.emplace_back(groups_[index].cap, caps_from + index);
  }
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>{});
  std::size_t open = active_.size();
  double level = 0.0;
  while (open > 0) {
    assert(!levels_.empty());
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>{});
    const auto [stored, index] = levels_.back();
    if (index >= caps_from) {
      levels_.pop_back();
      Group& group = groups_[index - caps_from];
      if (group.frozen) continue;
      level = std::max(level, stored);
      freeze(group, level);
      --open;
      continue;
    }
    Link& link = links_[index];
    if (link.open == 0) {
      levels_.pop_back();
      continue;
    }
    // The level of a link only rises while others freeze below it.
    const double now = std::max(level, (link.capacity - link.used) / link.weight);
    if (now > stored) {
      levels_.back().first = now;
      std::push_heap(levels_.begin(), levels_.end(), std::greater<>{});
      continue;
    }
    levels_.pop_back();
    level = std::max(level, now);
    for (std::uint32_t i = link.first; i < link.last; ++i) {
      Group& group = groups_[crossing_[i]];
      if (group.frozen) continue;
      freeze(group, level);
      --open;
    }
  }
}

void FluidSolver::freeze(Group& group, double rate) {
  group.frozen = true;
  const double weight = group.members * static_cast<double>(group.heap.size());
  for (const std::uint32_t index : group.path) {
    Link& link = links_[index];
    link.used += weight * rate;
    link.weight -= weight;
    --link.open;
  }
  if (rate != group.rate) {
    read_clock(group);
    group.rate = rate;
    set_due(group);
  }
}

// For each link that is in use, its weight and the groups that cross it.
void FluidSolver::list_crossings() {
  for (const std::uint32_t index : touched_) {
    Link& link = links_[index];
    link.used = 0.0;
    link.weight = 0.0;
    link.open = 0;
  }
  touched_.clear();
  std::uint32_t crossings = 0;
  for (const std::uint32_t index : active_) {
    const Group& group = groups_[index];
    const double weight = group.members * static_cast<double>(group.heap.size());
    for (const std::uint32_t at : group.path) {
      Link& link = links_[at];
      if (link.open == 0) touched_.push_back(at);
      link.weight += weight;
      ++link.open;
      ++crossings;
    }
  }
  crossing_.resize(crossings);
  std::uint32_t next = 0;
  for (const std::uint32_t index : touched_) {
    links_[index].first = links_[index].last = next;
    next += links_[index].open;
  }
  for (const std::uint32_t index : active_) {
    for (const std::uint32_t at : groups_[index].path) crossing_[links_[at].last++] = index;
  }
}

}  // namespace stallcast::sim
