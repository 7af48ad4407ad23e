#include "engine/sim/event_context.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <utility>

namespace stallcast::sim {
namespace {

// Where a program would wait to resume, a flow waits to start: by an odd number in place of the
// address of a frame.
std::coroutine_handle<> starter_of(std::uint32_t flow) {
  return std::coroutine_handle<>::from_address(
      reinterpret_cast<void*>(2 * std::uintptr_t{flow} + 1));
}
bool is_starter(std::coroutine_handle<> waiter) {
  return reinterpret_cast<std::uintptr_t>(waiter.address()) % 2 != 0;
}
std::uint32_t flow_of(std::coroutine_handle<> starter) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(starter.address()) / 2);
}

// A share that is all that a flow got, but for what it got while the others began or ended.
constexpr double kNoMore = 1.0 + 1e-3;
constexpr double kAtCap = 1.0 + 1e-6;
constexpr std::size_t kFlowsAhead = 3;

}  // namespace

LinkId EventContext::add_link(std::string name, Rate capacity) {
  assert(capacity > Rate{} && capacity.finite());
  const LinkId link = links_.add(std::move(name), capacity);
  open_link(link, capacity);
  return link;
}

void EventContext::set_capacity(LinkId link, Rate capacity) {
  assert(capacity > Rate{} && capacity.finite());
  links_.set_capacity(link, capacity);
  resize_link(link, capacity);
}

void EventContext::schedule_at(Seconds at, std::coroutine_handle<> waiter) {
  const double date = at.in(unit::s);
  assert(date >= now_);
  if (date <= now_) {
    events_now_.push_back(waiter);
  } else if (date < std::numeric_limits<double>::infinity()) {
    events_later_.push(date, waiter);
  }  // else: never; the program stays suspended until the context goes
}

void EventContext::start(const Flow& flow, FlowOutcome& outcome, Arrivals& arrivals) {
  prefetch_links(flow.path);  // while its record is written
  begin(note(flow, outcome, arrivals), flow);
}

void EventContext::start_after(Seconds delay, const Flow& flow, FlowOutcome& outcome,
                               Arrivals& arrivals) {
  if (!delay.finite()) return;
  if (delay <= Seconds{} && !flow.alone()) return start(flow, outcome, arrivals);
  schedule(delay, starter_of(note(flow, outcome, arrivals)));
}

EventContext::FlowKey EventContext::note(const Flow& flow, FlowOutcome& outcome,
                                         Arrivals& arrivals) {
  FlowKey key = static_cast<FlowKey>(records_.size());
  if (unused_.empty()) {
    records_.emplace_back();
  } else {
    key = unused_.back();
    unused_.pop_back();
  }
  Record& record = records_[key];
  record.path.assign(flow.path);
  record.bytes = flow.bytes;
  record.members = flow.members;
  record.cap = flow.cap;
  record.order = kNotYet;
  record.outcome = &outcome;
  record.arrivals = &arrivals;
  return key;
}

void EventContext::begin(FlowKey key, const Flow& flow) {
  assert(flow.bytes > Bytes{} && flow.bytes.finite() && flow.members > 0.0 && flow.cap > Rate{});
  assert(!flow.path.empty());
  Record& record = records_[key];
  record.order = next_order_++;
  *record.outcome = {.began = now(), .ended = now(), .binding = {}};
  links_.enter(flow.path, flow.members, now(),
               record.spent.resize(static_cast<std::uint32_t>(flow.path.size())));
  open_flow(key, flow);
}

void EventContext::begin_noted(FlowKey key) {
  const Record& record = records_[key];
  const Flow flow{
      .path = record.path, .bytes = record.bytes, .members = record.members, .cap = record.cap};
  const std::optional<Seconds> alone = flow.alone();
  if (!alone) return begin(key, flow);
  *record.outcome = {.began = now(), .ended = now() + *alone, .binding = {}};
  schedule(*alone, record.arrivals->waiter);
  forget(key);
}

void EventContext::forget(FlowKey key) {
  records_[key].outcome = nullptr;
  unused_.push_back(key);
}

void EventContext::run_due() {
  while (!stopping_) {
    std::coroutine_handle<> waiter;
    if (events_later_.date() <= now_) {
      waiter = events_later_.pop();
    } else if (!events_now_.empty()) {
      waiter = events_now_.front();
      events_now_.pop_front();
    } else {
      return;
    }
    ++events_;
    prefetch_next();
    // Of a flow that starts soon: many may start at one date, each over links of its own.
    if (events_now_.size() > kFlowsAhead && is_starter(events_now_[kFlowsAhead])) {
      const Record& soon = records_[flow_of(events_now_[kFlowsAhead])];
      prefetch_links(soon.path);
    }
    if (is_starter(waiter))
      begin_noted(flow_of(waiter));
    else
      waiter.resume();
  }
}

// What resumes or starts next, most likely, while something else does.
void EventContext::prefetch_next() const {
  std::coroutine_handle<> next;
  if (events_later_.date() <= now_ || (events_now_.empty() && !events_later_.empty()))
    next = events_later_.first();
  else if (!events_now_.empty())
    next = events_now_.front();
  if (is_starter(next))
    prefetch(&records_[flow_of(next)], sizeof(Record));
  else
    prefetch(next.address(), 8 * kCacheLine);
}

void EventContext::prefetch_links(std::span<const LinkId> path) const {
  for (const LinkId link : path) {
    links_.prefetch(link);
    prefetch_link(link);
  }
}

void EventContext::describe(Ledger& ledger) {
  ledger.state(events_now_.size());
  dates_.clear();
  events_later_.each_date([&](double date) { dates_.push_back(date); });
  std::erase_if(watched_, [&](double date) { return date <= now_; });  // they are over
  for (const double watched : watched_)
    if (const auto at = std::find(dates_.begin(), dates_.end(), watched); at != dates_.end())
      dates_.erase(at);
  std::sort(dates_.begin(), dates_.end());
  for (const double date : dates_) ledger.due(Seconds::from(date, unit::s));
  running_.clear();
  for (FlowKey key = 0; key < records_.size(); ++key)
    if (records_[key].runs()) running_.push_back(key);
  std::sort(running_.begin(), running_.end(),
            [&](FlowKey a, FlowKey b) { return records_[a].order < records_[b].order; });
  for (const FlowKey key : running_) {
    const Record& record = records_[key];
    for (const LinkId link : record.path) ledger.state(static_cast<std::int64_t>(link.index));
    ledger.state(record.bytes);
    ledger.state(record.members);
    ledger.state(record.cap.in(unit::Bps));
    ledger.state(left_of(key));
  }
  links_.describe(ledger);
}

void EventContext::add_running(std::span<Bytes> moved) const {
  for (FlowKey key = 0; key < records_.size(); ++key) {
    const Record& record = records_[key];
    if (!record.runs()) continue;
    const Bytes arrived = record.bytes * (record.members * (1.0 - left_of(key)));
    for (const LinkId link : record.path) moved[link.index] += arrived;
  }
}

// The last of many ends alone, with links to itself that it had shared: what counts is the share it
// had of them over all its time. It limited a flow that got no more than that, or was held up for
// most of its time; elsewhere what was so at the end decides, as for one that had its cap always.
LinkId EventContext::binding(const Record& record) const {
  const FlowOutcome& outcome = *record.outcome;
  const Seconds took = outcome.ended - outcome.began;
  if (took > record.bytes / record.cap * kAtCap) {
    const LinkTable::Share mean =
        links_.mean_share(record.path, record.spent, outcome.began, outcome.ended);
    const bool no_more = mean.rate <= record.cap && record.bytes / took <= mean.rate * kNoMore;
    if (no_more || took > 2.0 * (record.bytes / record.cap)) return mean.link;
  }
  return links_.binding(record.path, record.cap);
}

void EventContext::close_flows(std::vector<FlowKey>& ended) {
  const auto started_first = [&](FlowKey a, FlowKey b) {
    return records_[a].order < records_[b].order;
  };
  if (!std::is_sorted(ended.begin(), ended.end(), started_first))
    std::sort(ended.begin(), ended.end(), started_first);
  // All shares are taken before any of these flows leaves, since they ended together.
  for (const FlowKey key : ended) {
    const Record& record = records_[key];
    record.outcome->ended = now();
    record.outcome->binding = binding(record);
  }
  for (const FlowKey key : ended) {
    const Record& record = records_[key];
    links_.leave(record.path, record.members, record.bytes * record.members, now());
    if (--record.arrivals->missing == 0) events_now_.push_back(record.arrivals->waiter);
    forget(key);
  }
  ended.clear();
}

}  // namespace stallcast::sim
