#include "engine/sim/link_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stallcast::sim {
namespace {

constexpr double kSameShare = 1.0 + 1e-6;  // shares this close are the same but for rounding

}  // namespace

LinkTable::Link& LinkTable::at(LinkId link) {
  assert(link.index < links_.size());
  return links_[link.index];
}

const LinkTable::Link& LinkTable::at(LinkId link) const {
  assert(link.index < links_.size());
  return links_[link.index];
}

LinkId LinkTable::add(std::string name, Rate capacity) {
  links_.push_back({.capacity = capacity});
  names_.push_back(std::move(name));
  spent_.emplace_back();
  return {.index = size() - 1};
}

LinkUse LinkTable::use(LinkId link, Seconds now) const {
  const Link& from = at(link);
  return {.name = names_[link.index],
          .capacity = from.capacity,
          .carried = from.carried,
          .peak_weight = from.peak_weight,
          .active = from.flows > 0 ? from.active + (now - from.since) : from.active,
          .spent = spent_[link.index] + from.spent + (now - from.since) * from.weight};
}

// Counts what went by since members last came or went. An idle link puts it away: so it stays as
// precise as the flows are long.
void LinkTable::pass(Link& link, Seconds now) {
  const Seconds time = now - link.since;
  link.since = now;
  if (link.flows == 0) {
    spent_[static_cast<std::size_t>(&link - links_.data())] += link.spent;
    link.spent = {};
    return;
  }
  link.active += time;
  link.spent += time * link.weight;
}

void LinkTable::enter(std::span<const LinkId> path, double members, Seconds now,
                      std::span<Seconds> spent) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    Link& link = at(path[i]);
    pass(link, now);
    spent[i] = link.spent;
    ++link.flows;
    link.weight += members;
    link.peak_weight = std::max(link.peak_weight, link.weight);
  }
}

void LinkTable::leave(std::span<const LinkId> path, double members, Bytes carried, Seconds now) {
  for (const LinkId id : path) {
    Link& link = at(id);
    assert(link.flows > 0);
    pass(link, now);
    --link.flows;
    // An idle link forgets what sums of fractional members left behind.
    link.weight = link.flows == 0 ? 0.0 : link.weight - members;
    link.carried += carried;
  }
}

// Capacities change by faults, which no run with fast-forward has, and by who saves together, which
// describes itself. What members spent is only
// compared with what it was when a flow began.
void LinkTable::describe(Ledger& ledger) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    Link& link = links_[i];
    ledger.count(link.carried);
    ledger.count(link.active);
    spent_[i] += ledger.growth(spent_[i] + link.spent);
  }
}

LinkId LinkTable::binding(std::span<const LinkId> path, Rate cap) const {
  LinkId least;
  for (const LinkId id : path) {
    const Rate share = at(id).capacity / at(id).weight;
    if (share > cap) continue;
    cap = share;
    least = id;
  }
  return least;
}

LinkTable::Share LinkTable::mean_share(std::span<const LinkId> path, std::span<const Seconds> spent,
                                       Seconds began, Seconds now) const {
  Share least;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Link& link = at(path[i]);
    const Seconds grown = link.spent + (now - link.since) * link.weight - spent[i];
    const Rate rate = link.capacity / (grown / (now - began));
    // Of those that are alike the last, as in `binding`.
    if (rate <= least.rate * kSameShare) least = {path[i], std::min(rate, least.rate)};
  }
  return least;
}

}  // namespace stallcast::sim
