#include <algorithm>

#include "engine/sim/fair_shares.hpp"

/// Links that flows pass without their group naming them.
namespace stallcast::sim {
namespace {

// What passes a link may become so many times faster before that is looked at again: so that levels
// that rise name links in a few goes, not one by one.
constexpr double kMargin = 2.0;

}  // namespace

void FairShares::name(Link& link) {
  if (link.named) return;
  link.named = true;
  ++named_;
}

std::uint32_t FairShares::put_named_first(std::span<std::uint32_t> path) {
  std::uint32_t named = 0;
  for (std::uint32_t i = 0; i < path.size(); ++i) {
    Link& link = links_[path[i]];
    if (!link.named && link.asked == 0) continue;
    if (link.passed > 0) keep_named(link);
    for (std::uint32_t at = i; at > named; --at) std::swap(path[at], path[at - 1]);
    ++named;
  }
  if (named > 0) return named;
  keep_named(path);
  return static_cast<std::uint32_t>(path.size());
}

// Nobody passes them any more.
void FairShares::keep_named(std::span<const std::uint32_t> named) {
  for (const std::uint32_t at : named)
    if (links_[at].passed > 0) keep_named(links_[at]);
}

void FairShares::keep_named(Link& link) {
  name(link);
  outdated_.push_back(link.passed_by);
}

bool FairShares::pass(std::uint32_t index, std::span<const std::uint32_t> links, double weight) {
  Group& group = groups_[index];
  const double least = group.bound == kNobody ? 0.0 : soon(index);
  for (const std::uint32_t at : links) {
    Link& link = links_[at];
    const bool others = link.passed > 0 && link.passed_by != index;
    // What groups took that named it until now is still counted: `update` tells.
    const bool stale = link.flows > link.alone;
    if (!others && (stale || room(link) * kOver >= least * (link.passing + weight))) continue;
    name(link);
    if (link.passed > 0) outdated_.push_back(link.passed_by);
    return false;
  }
  if (group.passing++ == 0) {
    group.most_passing = kNever;
    passing_.push_back(index);
  }
  for (const std::uint32_t at : links) {
    Link& link = links_[at];
    link.passed_by = index;
    ++link.passed;
    link.passing += weight;
    if (room(link) < group.most_passing * link.passing)
      group.most_passing = room(link) / link.passing;
  }
  return true;
}

void FairShares::pass_no_more(std::uint32_t index, std::span<const std::uint32_t> path,
                              double weight) {
  Group& group = groups_[index];
  if (path.size() == group.path.size()) return;
  for (const std::uint32_t at : path.subspan(group.path.size())) {
    Link& link = links_[at];
    link.passing = --link.passed > 0 ? link.passing - weight : 0.0;
  }
  if (--group.passing == 0) std::erase(passing_, index);
}

// A flow that is not shared begins on a link that others pass.
bool FairShares::lets_pass(Link& link, double rate_of_it) {
  Group& group = groups_[link.passed_by];
  const double most = (room(link) - rate_of_it) / link.passing;
  if (group.bound == kNobody || most < kMargin * rate(link.passed_by)) return false;
  group.most_passing = std::min(group.most_passing, most);
  return true;
}

void FairShares::look_again(std::uint32_t index, std::span<const std::uint32_t> path) {
  Group& group = groups_[index];
  for (const std::uint32_t at : path.subspan(group.path.size())) {
    Link& link = links_[at];
    group.most_passing = std::min(group.most_passing, room(link) / link.passing);
  }
}

void FairShares::name_narrow(std::uint32_t index, std::span<const std::uint32_t> path) {
  for (const std::uint32_t at : path.subspan(groups_[index].path.size())) {
    Link& link = links_[at];
    if (room(link) * kOver < soon(index) * link.passing) name(link);
  }
}

double FairShares::soon(std::uint32_t group) const {
  return std::min(kMargin * rate(group), groups_[group].cap);
}

}  // namespace stallcast::sim
