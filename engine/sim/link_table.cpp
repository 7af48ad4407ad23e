#include "engine/sim/link_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stallcast::sim {

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
  return {.index = size() - 1};
}

LinkUse LinkTable::use(LinkId link, Seconds now) const {
  const Link& from = at(link);
  return {.name = names_[link.index],
          .capacity = from.capacity,
          .carried = from.carried,
          .peak_weight = from.peak_weight,
          .active = from.flows > 0 ? from.active + (now - from.since) : from.active};
}

void LinkTable::enter(std::span<const LinkId> path, double members, Seconds now) {
  for (const LinkId id : path) {
    Link& link = at(id);
    if (link.flows++ == 0) link.since = now;
    link.weight += members;
    link.peak_weight = std::max(link.peak_weight, link.weight);
  }
}

void LinkTable::leave(std::span<const LinkId> path, double members, Bytes carried, Seconds now) {
  for (const LinkId id : path) {
    Link& link = at(id);
    assert(link.flows > 0);
    --link.flows;
    // An idle link forgets what sums of fractional members left behind.
    link.weight = link.flows == 0 ? 0.0 : link.weight - members;
    link.carried += carried;
    link.active += now - link.since;
    link.since = now;
  }
}

// Capacities change by faults only, which no run with fast-forward has.
void LinkTable::describe(Ledger& ledger) {
  for (Link& link : links_) {
    ledger.count(link.carried);
    ledger.count(link.active);
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

}  // namespace stallcast::sim
