#include "engine/sim/fair_shares.hpp"

#include <algorithm>
#include <cassert>

namespace stallcast::sim {
namespace {

// After so many additions, or when so much of it was subtracted again, a sum is added up anew.
constexpr std::size_t kSums = 1000;
constexpr double kRemainder = 1.0 / 16.0;
// Sums err by less.
constexpr double kClearly = 1.0 + 1e-6;
constexpr double kRounding = 1e-15;

}  // namespace

std::uint32_t FairShares::add_link(double capacity) {
  links_.emplace_back().capacity = capacity;
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void FairShares::set_capacity(std::uint32_t link, double capacity) {
  links_[link].capacity = capacity;
  touch(link);
  if (links_[link].passed > 0) groups_[links_[link].passed_by].most_passing = 0.0;  // looks again
}

std::uint32_t FairShares::add_group(std::span<const std::uint32_t> path, double weight,
                                    double cap) {
  assert(!path.empty() && weight > 0.0 && cap > 0.0);
  auto index = static_cast<std::uint32_t>(groups_.size());
  if (free_groups_.empty()) {
    groups_.emplace_back();
  } else {
    index = free_groups_.back();
    free_groups_.pop_back();
  }
  Group& group = groups_[index];
  group.path.assign(path);
  group.weight = weight;
  group.cap = cap;
  group.removed = group.twice = false;
  for (const std::uint32_t at : path) {
    std::vector<std::uint32_t>& crossing = links_[at].crossing;
    if (crossing.empty() || crossing.back() != index)
      crossing.push_back(index);
    else
      group.twice = true;
  }
  return index;
}

void FairShares::remove_groups(std::span<const std::uint32_t> groups) {
  for (const std::uint32_t index : groups) {
    assert(groups_[index].bound == kNobody && groups_[index].flows == 0);
    groups_[index].removed = true;
  }
  for (const std::uint32_t index : groups) {
    for (const std::uint32_t at : groups_[index].path)
      if (!links_[at].seen)
        std::erase_if(links_[at].crossing,
                      [&](std::uint32_t other) { return groups_[other].removed; });
    for (const std::uint32_t at : groups_[index].path) see(at);
  }
  for (const std::uint32_t at : seen_) links_[at].seen = false;
  seen_.clear();
  free_groups_.insert(free_groups_.end(), groups.begin(), groups.end());
}

void FairShares::ask(const Group& group, bool begins) {
  for (const std::uint32_t at : group.path) {
    if (begins)
      ++links_[at].asked;
    else
      --links_[at].asked;
  }
}

bool FairShares::reserve(std::span<const std::uint32_t> path, double rate) {
  std::size_t kept = 0;
  while (kept < path.size()) {
    Link& link = links_[path[kept]];
    if (link.level < kNever || room(link) < rate) break;
    if (link.passed > 0 && !lets_pass(link, rate)) break;
    link.taken += rate;
    ++link.flows;
    ++link.alone;
    ++kept;
  }
  if (kept == path.size()) return true;
  release(path.first(kept), rate);
  return false;
}

void FairShares::release(std::span<const std::uint32_t> path, double rate) {
  for (const std::uint32_t at : path) {
    Link& link = links_[at];
    link.taken -= rate;
    --link.alone;
    if (--link.flows > 0) continue;
    if (link.sums > 0) clear(link);
    link.taken = 0.0;  // all that a link of loose flows remembers
  }
}

void FairShares::update() {
  moved_.clear();
  shifted_.clear();
  in_doubt_.clear();
  updated_.swap(changed_);
  changed_.clear();
  for (const std::uint32_t index : updated_) {
    Group& group = groups_[index];
    group.changed = false;
    if (group.flows == group.shared) continue;
    if (group.bound == kNobody)
      fresh_.push_back(index);
    else
      account(group);
  }
  std::erase_if(fresh_, [&](std::uint32_t index) { return place(index); });
  for (const std::uint32_t link : touched_) {
    links_[link].touched = false;
    if (!shift(link)) to_open_.push_back(link);
  }
  touched_.clear();
  crowded_ =
      std::ranges::any_of(to_open_, [this](std::uint32_t link) { return links_[link].alone > 0; });
  if (crowded_) return put_off();
  if (!fresh_.empty() || !to_open_.empty()) share_anew();
  for (const std::uint32_t group : passing_)
    if (strained(group)) in_doubt_.push_back(group);
}

// What would be shared anew will have to be again when flows without a group have one: it waits.
void FairShares::put_off() {
  for (const std::uint32_t index : fresh_) set_flows(index, groups_[index].flows);
  fresh_.clear();
}

void FairShares::touch(std::uint32_t link) {
  if (links_[link].touched) return;
  links_[link].touched = true;
  touched_.push_back(link);
}

// Capacity that is left besides what the link does not bound. A flow whose cap is that of a link it
// has for itself, as those of a host with one port do, leaves none and lacks none.
double FairShares::room(const Link& link) const {
  return link.capacity * (1.0 + kRounding) - link.taken;
}

// Makes the sums of its links count all flows of the group.
void FairShares::account(Group& group) {
  const double weight =
      group.weight * (static_cast<double>(group.flows) - static_cast<double>(group.shared));
  const std::uint32_t flows = group.flows - group.shared;  // modulo 2^32
  const double taken = weight * most(group);
  for (const std::uint32_t at : group.path) {
    Link& link = links_[at];
    link.flows += flows;
    ++link.sums;
    if (group.bound == at) {
      link.bounds += flows;
      link.weight += weight;
      link.heaviest = std::max(link.heaviest, link.weight);
    } else {
      link.taken += taken;
    }
    if (link.flows == 0) clear(link);
    if (link.level < kNever || room(link) < 0.0) touch(at);
  }
  group.shared = group.flows;
  if (group.flows == 0) group.bound = kNobody;
}

void FairShares::clear(Link& link) {
  link.level = kNever;
  link.weight = link.heaviest = link.bottom = link.taken = 0.0;
  link.bounds = link.sums = 0;
  link.rigid = false;
  link.lid = kNever;
}

// Finds out what bounds a group that nothing bounded, if that is seen at once.
bool FairShares::place(std::uint32_t index) {
  Group& group = groups_[index];
  std::uint32_t full = kNobody;
  bool capped = group.cap < kNever;
  bool one = true;
  bool alone = !group.twice;
  std::uint32_t lacking = kNobody;
  for (const std::uint32_t at : group.path) {
    const Link& link = links_[at];
    alone = alone && link.flows == 0;
    if (link.level == kNever && room(link) < total(group) * group.cap) lacking = at;
    if (link.level == kNever || at == full) continue;
    one = one && full == kNobody;
    full = at;
    capped = capped && group.cap <= link.level && group.cap != link.lid;
  }
  if (alone) {
    place_alone(group);
  } else if (capped && lacking != kNobody) {  // it would be full, and all that cross it share it
    to_open_.push_back(lacking);
    return false;
  } else if (capped) {
    group.bound = kOwnCap;
    for (const std::uint32_t at : group.path)
      links_[at].bottom = std::max(links_[at].bottom, group.cap);
  } else if (full != kNobody && one && fits(group, links_[full])) {
    group.bound = full;
    if (group.cap != links_[full].lid) links_[full].lid = kNever;
  } else {
    return false;
  }
  account(group);
  moved_.push_back(index);
  return true;
}

// Whether the level of the link is the rate of the group. A link that is not full has that of its
// lid.
bool FairShares::fits(const Group& group, const Link& link) {
  return group.cap == link.lid || (group.cap >= link.top && link.level < link.lid);
}

// Nobody else crosses its links.
void FairShares::place_alone(Group& group) {
  double least = group.cap, next = kNever;
  group.bound = kOwnCap;
  for (const std::uint32_t at : group.path) {
    const double level = links_[at].capacity / total(group);
    if (level < least) {
      next = least;
      least = level;
      group.bound = at;
    } else {
      next = std::min(next, level);
    }
  }
  if (group.bound == kOwnCap) return;
  Link& by = links_[group.bound];
  by.level = least;
  by.lid = group.cap;
  by.top = std::max(least, std::min(least * kHeadroom, next * (1.0 - kFull)));
  shifted_.push_back(group.bound);
}

// Adjusts the level of the link to its sums; false if that may concern other links or caps.
bool FairShares::shift(std::uint32_t index) {
  Link& link = links_[index];
  if (link.bounds == 0 && !link.rigid) {
    link.level = kNever;
    link.weight = link.heaviest = link.bottom = 0.0;
    return room(link) >= 0.0;
  }
  const bool exact =
      link.sums <= kSums + link.crossing.size() && link.weight >= kRemainder * link.heaviest;
  const double share = (link.capacity - link.taken) / link.weight;
  const double level = std::min(share, link.lid);
  if (level == link.level && (exact || share > level * kClearly)) return true;
  if (!exact || link.rigid || level < link.bottom || level > link.top) return false;
  link.level = level;
  shifted_.push_back(index);
  return true;
}

}  // namespace stallcast::sim
