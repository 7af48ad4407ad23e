#include "engine/sim/fluid_solver.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>

namespace stallcast::sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kSlots = 8;      // of the table in a line of the cache
constexpr std::size_t kIdleGroups = 64;  // kept, and as many as twice those in use
constexpr std::ptrdiff_t kFewEnded = 8;

std::uint64_t scattered(std::uint64_t seed, std::uint64_t value) {
  seed = (seed ^ value) * 0x9e3779b97f4a7c15ULL;
  return seed ^ (seed >> 29U);
}

}  // namespace

LinkId FluidSolver::add_link(Rate capacity) {
  link_clocks_.push_back(new_clock());
  return {.index = shares_.add_link(capacity.in(unit::Bps))};
}

void FluidSolver::set_capacity(LinkId link, Rate capacity) {
  shares_.set_capacity(link.index, capacity.in(unit::Bps));
  next_known_ = false;
}

void FluidSolver::start(FlowKey key, std::span<const LinkId> path, Bytes bytes, double members,
                        Rate cap) {
  assert(!path.empty() && bytes > Bytes{} && bytes.finite() && members > 0.0 && cap > Rate{});
  ++flows_;
  LooseFlows::Loose& flow = loose_.note(key);
  std::ranges::transform(path, flow.path.resize(static_cast<std::uint32_t>(path.size())).begin(),
                         [](LinkId link) { return link.index; });
  flow.bytes = bytes.in(unit::B);
  flow.members = members;
  flow.cap = cap.in(unit::Bps);
  flow.order = next_order_++;
  const LooseFlows::Loose& noted = flow;
  if (flow.cap < kNever && flow.order >= loose_from_ && shares_.reserve(noted.path, flow.rate())) {
    flow.end = now_ + flow.bytes / flow.cap;
    loose_.start(key);
  } else {
    flow.end = LooseFlows::kEnded;
    join(key, flow.bytes, flow);
  }
}

void FluidSolver::join(FlowKey key, double left, LooseFlows::Loose& flow) {
  const std::uint32_t index = find_group(flow);
  Group& group = groups_[index];
  const double end = read(group) + left;
  if (group.heap.empty()) ++busy_;
  group.heap.push_back({.end = end, .bytes = flow.bytes, .order = flow.order, .key = key});
  if (group.heap.size() > 1) std::push_heap(group.heap.begin(), group.heap.end(), std::greater<>{});
  while (key >= places_.size()) places_.emplace_back();
  places_[key] = {index, end};
  change(index);
}

// Few flows are not worth looking at links that others pass. Those that were many will be again.
std::uint32_t FluidSolver::find_group(LooseFlows::Loose& flow) {
  const std::span<std::uint32_t> path{flow.path.begin(), flow.path.size()};
  if (flows_ > kFewFlows) many_until_ = next_order_ + kBackOff * flows_;
  if (next_order_ >= many_until_ && !shares_.any_passes())
    return group_of(path, flow.members, flow.cap);
  for (;;) {
    const std::uint32_t named = shares_.put_named_first(path);
    const std::uint32_t index = group_of(path.first(named), flow.members, flow.cap);
    if (named == path.size()) return index;
    if (!shares_.may_pass(index)) {
      shares_.keep_named(path);
      return group_of(path, flow.members, flow.cap);
    }
    if (shares_.pass(index, path.subspan(named), flow.members)) return index;
  }
}

double FluidSolver::read(const Group& group) {
  return group.offset + (group.clock == kNoClock ? 0.0 : read(clocks_[group.clock]));
}

std::uint32_t FluidSolver::group_of(std::span<const std::uint32_t> path, double members,
                                    double cap) {
  if (found_ != kNoGroup && shares_.is(found_, path, members, cap)) return found_;
  return found_ = find_group(path, members, cap);
}

std::uint32_t FluidSolver::find_group(std::span<const std::uint32_t> path, double members,
                                      double cap) {
  std::uint64_t hash =
      scattered(std::bit_cast<std::uint64_t>(members), std::bit_cast<std::uint64_t>(cap));
  // Those that differ only a little in their last link, as the stripes of a file do, share a line
  // of the cache.
  for (const std::uint32_t link : path.first(path.size() - 1)) hash = scattered(hash, link);
  hash = scattered(hash, path.back() / kSlots);
  if (2 * known_ >= table_.size()) forget_idle_groups();
  const auto part = static_cast<std::uint32_t>(hash) / kSlots * kSlots + path.back() % kSlots;
  for (std::size_t at = part;; ++at) {
    Known& slot = table_[at & (table_.size() - 1)];
    if (slot.group == kNoGroup) {
      ++known_;
      slot = {.hash = part, .group = shares_.add_group(path, members, cap)};
      if (slot.group == groups_.size()) {
        groups_.emplace_back();
        group_places_.push_back(KeyedHeap::kNoPlace);
      }
      groups_[slot.group].offset = 0.0;
      return slot.group;
    }
    if (slot.hash == part && shares_.is(slot.group, path, members, cap)) return slot.group;
  }
}

std::uint32_t FluidSolver::new_clock() {
  clocks_.emplace_back();
  clock_places_.push_back(KeyedHeap::kNoPlace);
  return static_cast<std::uint32_t>(clocks_.size() - 1);
}

// Groups are kept when their last flow ends, since most come back at once. When the table is full,
// the others go, if they are many, and it grows to hold as many again as are left.
void FluidSolver::forget_idle_groups() {
  LongVector<std::uint32_t> gone;
  const bool many = known_ >= kIdleGroups + 2 * busy_;
  for (std::uint32_t index = 0; many && index < groups_.size(); ++index) {
    const Group& group = groups_[index];
    if (group.clock == kNoClock && group.heap.empty() && !shares_.changed(index) &&
        !shares_.removed(index))
      gone.push_back(index);
  }
  if (gone.size() < kIdleGroups + (known_ - gone.size())) gone.clear();
  shares_.remove_groups(gone);
  found_ = kNoGroup;
  known_ -= gone.size();
  decltype(table_) before(std::bit_ceil(std::max(4 * known_, 4 * kIdleGroups)));
  before.swap(table_);
  for (const Known& known : before) {
    if (known.group == kNoGroup || (!gone.empty() && shares_.removed(known.group))) continue;
    std::size_t at = known.hash;
    while (table_[at & (table_.size() - 1)].group != kNoGroup) ++at;
    table_[at & (table_.size() - 1)] = known;
  }
}

void FluidSolver::change(std::uint32_t index) {
  next_known_ = false;
  shares_.set_flows(index, groups_[index].heap.size());
}

double FluidSolver::read(Clock& clock) const {
  clock.reading += clock.rate * (now_ - clock.read_at);
  clock.read_at = now_;
  return clock.reading;
}

// From now on the group reads what `clock` does, but for an offset.
void FluidSolver::follow(std::uint32_t index, std::uint32_t to) {
  Group& group = groups_[index];
  if (group.clock == to) return;
  if (group.clock != kNoClock) {
    Clock& from = clocks_[group.clock];
    group.offset += read(from);
    from.groups.remove(index, group_places_);
    mark(group.clock);
  }
  group.clock = to;
  if (to == kNoClock) {
    group.offset = 0.0;  // has no flows
    return;
  }
  Clock& clock = clocks_[to];
  if (clock.groups.empty()) {  // nobody has looked at it since
    clock.reading = 0.0;
    clock.read_at = now_;
    clock.ended = 0;
  }
  group.offset -= read(clock);
}

// Tells the group's clock when its first flow ends.
void FluidSolver::expect(std::uint32_t index) {
  Group& group = groups_[index];
  group.expected = share_;
  clocks_[group.clock].groups.set(
      index, group.heap.empty() ? kNever : group.heap.front().end - group.offset, group_places_);
  mark(group.clock);
}

void FluidSolver::mark(std::uint32_t clock) {
  if (clocks_[clock].stale) return;
  clocks_[clock].stale = true;
  stale_.push_back(clock);
}

void FluidSolver::find_next() {
  share();
  for (const std::uint32_t index : stale_) {
    Clock& clock = clocks_[index];
    clock.stale = false;
    clock.groups.settle(group_places_);
    const double left = clock.groups.least() - clock.reading;
    const double due = left < kNever && clock.rate > 0.0
                           ? clock.read_at + std::max(0.0, left) / clock.rate
                           : kNever;
    if (due == kNever && clock_places_[index] == KeyedHeap::kNoPlace) continue;
    dates_.set(index, due, clock_places_);
  }
  dates_.settle(clock_places_);
  stale_.clear();
  next_ = std::max(dates_.least(), now_);
  next_known_ = true;
}

void FluidSolver::share() {
  for (;;) {
    split(shares_.outdated());
    share_groups();
    if (shares_.crowded())
      group_loose();
    else if (!relieve() && !gather())
      return;
  }
}

void FluidSolver::share_groups() {
  shares_.update();
  ++share_;
  // Groups leave their clocks before these change.
  for (const std::uint32_t index : shares_.moved()) {
    Group& group = groups_[index];
    if (group.clock == kNoClock) continue;
    const double reading = group.offset + read(clocks_[group.clock]);
    follow(index, kNoClock);
    group.offset = reading;
  }
  for (const std::uint32_t link : shares_.shifted()) {
    Clock& clock = clocks_[link_clocks_[link]];
    read(clock);
    clock.rate = shares_.level(link);
    mark(link_clocks_[link]);
  }
  for (const std::uint32_t index : shares_.moved()) {
    const std::uint32_t bound = shares_.bound(index);
    Group& group = groups_[index];
    if (bound == FairShares::kNobody || group.clock != kNoClock) continue;
    if (bound == FairShares::kOwnCap) {
      if (group.own == kNoClock) group.own = new_clock();
      clocks_[group.own].rate = shares_.rate(index);
    }
    follow(index, bound == FairShares::kOwnCap ? group.own : link_clocks_[bound]);
    expect(index);
  }
  for (const std::uint32_t index : shares_.updated()) {
    if (shares_.bound(index) == FairShares::kNobody)
      follow(index, kNoClock);
    else if (groups_[index].expected != share_)
      expect(index);
  }
}

void FluidSolver::take_ended(std::vector<FlowKey>& ended) {
  const double last = last_together();
  dates_.each_up_to(last, [&](std::uint32_t clock) { due_.push_back(clock); });
  for (const std::uint32_t clock : due_) take_ended(clock);
  due_.clear();
  take_ended_loose(last);
  if (ended_.size() == 1)
    ended.push_back(ended_.front().second);
  else if (!ended_.empty())
    in_order_of_start(ended);
  ended_.clear();
}

// Those that end together often started together: then they are put where they belong.
void FluidSolver::in_order_of_start(std::vector<FlowKey>& ended) {
  const auto [first, last] = std::minmax_element(ended_.begin(), ended_.end());
  const std::uint64_t from = first->first, span = last->first - from + 1;
  if (span > 2 * ended_.size()) {
    std::sort(ended_.begin(), ended_.end());
    for (const auto& [order, key] : ended_) ended.push_back(key);
    return;
  }
  started_.assign(span, kNoKey);
  for (const auto& [order, key] : ended_) started_[order - from] = key;
  ended.reserve(ended.size() + ended_.size());
  std::copy_if(started_.begin(), started_.end(), std::back_inserter(ended),
               [](FlowKey key) { return key != kNoKey; });
}

double FluidSolver::left_of(FlowKey key) const {
  if (const LooseFlows::Loose* loose = loose_.find(key)) return loose->left(now_) / loose->bytes;
  if (key >= places_.size() || places_[key].group == kNoGroup) return 0.0;
  const Group& group = groups_[places_[key].group];
  double reading = group.offset;
  if (group.clock != kNoClock) {
    const Clock& clock = clocks_[group.clock];
    reading += clock.reading + clock.rate * (now_ - clock.read_at);
  }
  return std::max(0.0, (places_[key].end - reading) / loose_.noted(key).bytes);
}

void FluidSolver::take_ended_loose(double last) {
  loose_.take_until(last, [&](FlowKey key, const LooseFlows::Loose& flow) {
    if (flow.left(now_) > kTogether * flow.bytes + flow.cap * resolution(now_)) return false;
    shares_.release(flow.path, flow.rate());
    ended_.emplace_back(flow.order, key);
    --flows_;
    return true;
  });
}

void FluidSolver::take_ended(std::uint32_t index) {
  Clock& clock = clocks_[index];
  const double reading = read(clock);
  const double margin = clock.rate * (kTogether * now_ + resolution(now_)) + resolution(reading);
  clock.groups.each_up_to(reading + margin, [&](std::uint32_t id) { first_.push_back(id); });
  const std::size_t before = ended_.size();
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const std::uint32_t id = first_[i];
    if (i + kAhead < first_.size()) {
      prefetch(&groups_[first_[i + kAhead]]);
      shares_.prefetch(first_[i + kAhead]);
    }
    Group& group = groups_[id];
    const std::size_t flows = group.heap.size();
    take_ended(id, reading, clock.rate);
    if (group.heap.size() == flows) {
      // The clock errs by what its reading was rounded to before it was set back.
      expect(id);
      next_known_ = false;
    } else {
      change(id);
    }
  }
  first_.clear();
  clock.ended += ended_.size() - before;
  // Setting clocks back now and then keeps them as precise as the sizes of the flows.
  if (clock.ended <= clock.groups.size() + 16) return;
  clock.groups.lower(reading, [&](std::uint32_t id) { groups_[id].offset += reading; });
  clock.reading = 0.0;
  clock.ended = 0;
}

void FluidSolver::take_ended(std::uint32_t index, double reading, double rate) {
  Group& group = groups_[index];
  const double at = group.offset + reading;
  const double slack = rate * resolution(now_) + resolution(std::abs(reading));
  const auto runs = [&](const Member& member) {
    return member.end - at > kTogether * member.bytes + slack + resolution(member.end);
  };
  const bool passes = shares_.passes(index);
  const auto end = [&](const Member& member) {
    ended_.emplace_back(member.order, member.key);
    places_[member.key].group = kNoGroup;
    if (!passes) return;
    const LooseFlows::Loose& flow = loose_.noted(member.key);
    shares_.pass_no_more(index, flow.path, flow.members);
  };
  const std::uint32_t before = group.heap.size();
  // Many end together: the others are put in order anew.
  const auto first = std::find_if(group.heap.begin(), group.heap.end(), runs);
  if (first - group.heap.begin() > kFewEnded) {
    const auto rest = std::partition(group.heap.begin(), group.heap.end(), runs);
    std::for_each(rest, group.heap.end(), end);
    static_cast<void>(group.heap.resize(static_cast<std::uint32_t>(rest - group.heap.begin())));
    std::make_heap(group.heap.begin(), group.heap.end(), std::greater<>{});
  }
  while (!group.heap.empty() && !runs(group.heap.front())) {
    end(group.heap.front());
    if (group.heap.size() > 1)
      std::pop_heap(group.heap.begin(), group.heap.end(), std::greater<>{});
    group.heap.pop_back();
  }
  const std::uint32_t ended = before - group.heap.size();
  flows_ -= ended;
  if (ended > 0 && group.heap.empty()) --busy_;
  group.ended += ended;
  if (group.ended <= group.heap.size() + 64) return;
  for (Member& member : group.heap) places_[member.key].end = member.end -= at;
  group.offset = -reading;
  group.ended = 0;
}

}  // namespace stallcast::sim
