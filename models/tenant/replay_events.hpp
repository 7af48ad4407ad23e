#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/sim/sync.hpp"
#include "models/tenant/call_times.hpp"
#include "stallcast/replay.hpp"

namespace stallcast::models {

/// Events of a program that its threads wait for.    [docs/models/replay.md, eq. 7]
class ReplayEvents {
 public:
  /// `threads` run; events are numbered up to `most`.
  ReplayEvents(sim::Context& context, std::uint64_t most, std::size_t threads)
      : context_(context), come_(most + 1, false), running_(threads) {}

  [[nodiscard]] bool awaits(const ReplayStep& step) const {
    return step.waits() && !come_.at(step.file);
  }
  /// Until it has come. Throws where nobody is left to bring it.
  [[nodiscard]] sim::Task<void> wait(std::uint64_t event) {
    Awaited& awaited = awaited_[event];
    if (!awaited.signal) awaited.signal = std::make_unique<sim::Signal>(context_);
    ++awaited.threads;
    ++waiting_;
    refuse_stand_still();
    co_await awaited.signal->wait();
  }
  void post(std::uint64_t event) {
    come_.at(event) = true;
    const auto found = awaited_.find(event);
    if (found == awaited_.end()) return;
    waiting_ -= found->second.threads;
    found->second.signal->set();
    awaited_.erase(found);
  }
  /// A thread has ended; `all`: before its last step, so that nobody shall wait any more.
  void ended(bool all) {
    --running_;
    while (all && !awaited_.empty()) post(awaited_.begin()->first);
    refuse_stand_still();
  }

 private:
  struct Awaited {
    std::unique_ptr<sim::Signal> signal;
    std::size_t threads = 0;
  };
  void refuse_stand_still() const {
    if (running_ > 0 && waiting_ == running_)
      throw std::runtime_error("the program of a replay waits for what never comes");
  }

  sim::Context& context_;
  std::vector<bool> come_;
  std::unordered_map<std::uint64_t, Awaited> awaited_;
  std::size_t running_, waiting_ = 0;
};

/// Steps of training loops, and their waits for batches.
class LoopTimes {
 public:
  /// Where one loop is.
  struct Loop {
    std::optional<Seconds> step, wanted;
  };
  void mark(ReplayAction action, Seconds now, Loop& loop) {
    const auto took = [&](CallTimes& times, const std::optional<Seconds>& since) {
      if (since) times.add((now - *since).in(unit::s), 1.0);
    };
    if (action == ReplayAction::want) loop.wanted = now;
    if (action == ReplayAction::take) took(waits_, std::exchange(loop.wanted, {}));
    if (action == ReplayAction::step) took(steps_, loop.step);
    if (action == ReplayAction::step || action == ReplayAction::pass) loop.step = now;
  }
  [[nodiscard]] const CallTimes& steps() const { return steps_; }
  [[nodiscard]] const CallTimes& waits() const { return waits_; }

 private:
  CallTimes steps_, waits_;
};

}  // namespace stallcast::models
