#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/sim/event_queue.hpp"
#include "engine/sim/memory.hpp"
#include "engine/sim/short_list.hpp"

namespace stallcast::sim {

/// Flows that move at their cap, since no link of theirs is full with all of them: when they end is
/// known when they start, and nothing has to be shared for them. FluidSolver says which.
class LooseFlows {
 public:
  using FlowKey = std::uint32_t;
  static constexpr double kEnded = -1.0;

  struct alignas(kCacheLine) Loose {
    ShortList<std::uint32_t, 4> path;  ///< links
    double bytes = 0.0, members = 1.0;
    double cap = 0.0;     ///< B/s of a member
    double end = kEnded;  ///< date, s
    std::uint64_t order = 0;

    [[nodiscard]] double rate() const { return members * cap; }
    [[nodiscard]] double left(double now) const { return std::max(0.0, (end - now) * cap); }
  };

  /// Of a flow that starts, loose or not.
  Loose& note(FlowKey key) {
    while (key >= flows_.size()) flows_.emplace_back();
    return flows_[key];
  }
  [[nodiscard]] const Loose& noted(FlowKey key) const { return flows_[key]; }
  /// It has an end. REQUIRES: noted.
  void start(FlowKey key) { ends_.push(flows_[key].end, key); }

  /// Date at which the next one ends; infinity if none runs.
  [[nodiscard]] double next() const { return ends_.date(); }
  /// Of those that end until `last`, takes those for which `over(key, flow)`; of equal dates in any
  /// order.
  template <class Over>
  void take_until(double last, Over&& over) {
    while (next() <= last) {
      const FlowKey key = ends_.pop();
      Loose& flow = flows_[key];
      if (over(key, flow))
        flow.end = kEnded;
      else
        not_yet_.push_back(key);
    }
    for (const FlowKey key : not_yet_) ends_.push(flows_[key].end, key);
    not_yet_.clear();
  }
  /// Takes all, in the order of their starts, which may change them.
  template <class Take>
  void take_all(Take&& take) {
    while (!ends_.empty()) all_.push_back(ends_.pop());
    std::sort(all_.begin(), all_.end(),
              [this](FlowKey a, FlowKey b) { return flows_[a].order < flows_[b].order; });
    for (const FlowKey key : all_) {
      take(key, flows_[key]);
      flows_[key].end = kEnded;
    }
    all_.clear();
  }
  /// Nothing for a key that has none.
  [[nodiscard]] const Loose* find(FlowKey key) const {
    return key < flows_.size() && flows_[key].end != kEnded ? &flows_[key] : nullptr;
  }

 private:
  LongVector<Loose> flows_;      // by key
  DateQueue<FlowKey> ends_;      // those that run
  LongVector<FlowKey> not_yet_;  // scratch
  LongVector<FlowKey> all_;      // scratch
};

}  // namespace stallcast::sim
