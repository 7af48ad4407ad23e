#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/event_queue.hpp"
#include "engine/sim/link_table.hpp"
#include "engine/sim/memory.hpp"
#include "engine/sim/ring.hpp"
#include "engine/sim/short_list.hpp"
#include "stallcast/units.hpp"

namespace stallcast::sim {

/// What the implementations of Context have in common: the event list, the records of running flows
/// and the link table. An implementation shares capacities and moves the date, and at each date
/// does this, so that all resume programs in the same order: `run_due`, then `close_flows` with the
/// flows that ended, and again while there is something due.
class EventContext : public Context {
 public:
  LinkId add_link(std::string name, Rate capacity) final;
  void set_capacity(LinkId link, Rate capacity) final;
  void stop() final { stopping_ = true; }
  [[nodiscard]] LinkUse use(LinkId link) const final { return links_.use(link, now()); }
  [[nodiscard]] std::uint32_t link_count() const final { return links_.size(); }
  void add_running(std::span<Bytes> moved) const final;
  void describe(Ledger& ledger) final;
  void schedule(Seconds delay, std::coroutine_handle<> waiter) final {
    schedule_at(now() + delay, waiter);
  }
  void schedule_at(Seconds date, std::coroutine_handle<> waiter) final;
  void start(const Flow& flow, FlowOutcome& outcome, Arrivals& arrivals) final;
  void start_after(Seconds delay, const Flow& flow, FlowOutcome& outcome, Arrivals& arrivals) final;

 protected:
  using FlowKey = std::uint32_t;  ///< reused after the flow is closed

  /// The solver's side. A flow has a path that is not empty, and bytes.
  virtual void open_link(LinkId link, Rate capacity) = 0;
  virtual void resize_link(LinkId link, Rate capacity) = 0;
  virtual void open_flow(FlowKey key, const Flow& flow) = 0;
  /// A flow is soon opened that crosses it.
  virtual void prefetch_link(LinkId /*link*/) const {}
  /// Share of a running flow that has not arrived yet.
  [[nodiscard]] virtual double left_of(FlowKey key) const = 0;

  /// Set by `stop`; the implementation clears it when `run` returns.
  bool stopping_ = false;

  /// Resumes everything due now, until nothing is or `stop` was called.
  void run_due();
  [[nodiscard]] bool something_due() const { return next_event() <= now_; }
  /// Date of the next event, infinity if there is none.
  [[nodiscard]] double next_event() const {
    return events_now_.empty() ? std::max(now_, events_later_.date()) : now_;
  }
  /// Ends these flows now: completes their outcomes and schedules the waiters that miss no other,
  /// in the order of their starts. Clears `ended`.
  void close_flows(std::vector<FlowKey>& ended);
  [[nodiscard]] std::size_t flows_running() const { return records_.size() - unused_.size(); }

 private:
  static constexpr std::uint64_t kNotYet = std::numeric_limits<std::uint64_t>::max();
  struct alignas(kCacheLine) Record {
    ShortList<LinkId, 4> path;
    ShortList<Seconds, 4> spent;  ///< by members on its links, when it began
    Bytes bytes;
    double members;
    Rate cap;
    std::uint64_t order;             ///< of starts; kNotYet: it is to start later
    FlowOutcome* outcome = nullptr;  ///< null: no flow has this key
    Arrivals* arrivals = nullptr;
    [[nodiscard]] bool runs() const { return outcome != nullptr && order != kNotYet; }
  };

  /// A record of a flow that has not started.
  FlowKey note(const Flow& flow, FlowOutcome& outcome, Arrivals& arrivals);
  void begin(FlowKey key, const Flow& flow);
  /// What was to start now, and may go alone.
  void begin_noted(FlowKey key);
  void forget(FlowKey key);
  /// What limited a flow that ends now.
  [[nodiscard]] LinkId binding(const Record& record) const;
  void prefetch_next() const;
  void prefetch_links(std::span<const LinkId> path) const;

  EventQueue events_later_;
  Ring<std::coroutine_handle<>> events_now_;  // due at now_, after all of events_later_
  std::uint64_t next_order_ = 0;
  LinkTable links_;
  LongVector<Record> records_;
  LongVector<FlowKey> unused_;
  std::vector<double> dates_;     // scratch of `describe`
  std::vector<FlowKey> running_;  // the same
};

}  // namespace stallcast::sim
