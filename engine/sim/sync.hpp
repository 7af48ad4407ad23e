#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "engine/sim/context.hpp"
#include "stallcast/units.hpp"

/// Discrete resources beside the fluid ones. All waiters are served first in, first out, and are
/// resumed through the context's event list, never recursively.
namespace stallcast::sim {

/// A condition that many can wait for. `set` wakes all waiters and stays set until `reset`.
class Signal {
 public:
  explicit Signal(Context& context) : context_(context) {}
  void set();
  void reset() { is_set_ = false; }
  [[nodiscard]] bool is_set() const { return is_set_; }
  /// Awaitable: at once when set.
  [[nodiscard]] auto wait();

 private:
  Context& context_;
  bool is_set_ = false;
  std::vector<std::coroutine_handle<>> waiters_;
};

/// Counting semaphore: RPCs in flight, staging buffers, connections.
class Slots {
 public:
  /// REQUIRES: count >= 1.
  Slots(Context& context, std::int64_t count) : context_(context), free_(count) {}
  /// Awaitable: takes one slot, waiting for it if none is free.
  [[nodiscard]] auto acquire();
  void release();
  [[nodiscard]] std::int64_t free() const { return free_; }

 private:
  Context& context_;
  std::int64_t free_;
  std::deque<std::coroutine_handle<>> waiters_;
};

/// Resumes all `parties` when the last of them arrives; then starts again.
class Barrier {
 public:
  /// REQUIRES: parties >= 1.
  Barrier(Context& context, std::int64_t parties) : context_(context), parties_(parties) {}
  /// Awaitable.
  [[nodiscard]] auto arrive();

 private:
  Context& context_;
  std::int64_t parties_;
  std::vector<std::coroutine_handle<>> waiting_;
};

/// `servers` identical servers with one FIFO line (M/D/m when arrivals are random). The end of a
/// request is known when it arrives, so it costs one timer.
class ServerQueue {
 public:
  /// REQUIRES: servers >= 1.
  ServerQueue(Context& context, std::int64_t servers);
  /// `count` requests of `service` each, arriving together. Returns the date at which the last of
  /// them is served; costs O(min(count, servers) log servers). count may be fractional (folding).
  [[nodiscard]] Seconds admit(double count, Seconds service);
  /// Awaitable: `admit`, then sleep until that date.
  [[nodiscard]] auto serve(double count, Seconds service) {
    const Seconds done = admit(count, service);
    return context_.sleep(done - context_.now());
  }
  /// Server-seconds of work accepted so far, for utilization.
  [[nodiscard]] Seconds busy() const { return busy_; }
  [[nodiscard]] double served() const { return served_; }
  [[nodiscard]] std::int64_t servers() const { return static_cast<std::int64_t>(free_at_.size()); }
  /// Requests-seconds spent waiting (not in service), for the mean queue.
  [[nodiscard]] Seconds waited() const { return waited_; }

 private:
  Context& context_;
  std::vector<double> free_at_;  // min-heap of dates in s at which each server is free
  Seconds busy_;
  Seconds waited_;
  double served_ = 0.0;
};

/// Rate limit with a burst: an arrival of n waits until n tokens are there.
class TokenBucket {
 public:
  TokenBucket(Context& context, OpRate rate, Ops burst)
      : context_(context), rate_(rate), burst_(burst), level_(burst) {}
  /// Awaitable: waits until `n` tokens have accrued (first come, first served), and takes them.
  [[nodiscard]] auto take(Ops n) { return context_.sleep(delay_for(n)); }

 private:
  Seconds delay_for(Ops n);
  Context& context_;
  OpRate rate_;
  Ops burst_;
  Ops level_;        // may be negative: already promised to earlier arrivals
  Seconds updated_;  // date of `level_`
};

/// FIFO hand-over of values between programs. `push` never waits.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(Context& context) : context_(context) {}
  void push(T value);
  /// Awaitable, yields T.
  [[nodiscard]] auto pop();
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  Context& context_;
  std::deque<T> items_;
  std::deque<std::coroutine_handle<>> waiters_;
};

inline auto Signal::wait() {
  struct Awaiter {
    Signal& signal;
    bool await_ready() const noexcept { return signal.is_set_; }
    void await_suspend(std::coroutine_handle<> waiter) { signal.waiters_.push_back(waiter); }
    void await_resume() const noexcept {}
  };
  return Awaiter{*this};
}

inline auto Slots::acquire() {
  struct Awaiter {
    Slots& slots;
    bool await_ready() const noexcept {
      if (slots.free_ == 0 || !slots.waiters_.empty()) return false;
      --slots.free_;
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiter) { slots.waiters_.push_back(waiter); }
    void await_resume() const noexcept {}
  };
  return Awaiter{*this};
}

inline auto Barrier::arrive() {
  struct Awaiter {
    Barrier& barrier;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) {
      if (static_cast<std::int64_t>(barrier.waiting_.size()) + 1 < barrier.parties_) {
        barrier.waiting_.push_back(waiter);
        return true;
      }
      for (const std::coroutine_handle<> other : barrier.waiting_)
        barrier.context_.resume_soon(other);
      barrier.waiting_.clear();
      return false;
    }
    void await_resume() const noexcept {}
  };
  return Awaiter{*this};
}

template <class T>
void Mailbox<T>::push(T value) {
  items_.push_back(std::move(value));
  if (!waiters_.empty()) {
    context_.resume_soon(waiters_.front());
    waiters_.pop_front();
  }
}

template <class T>
auto Mailbox<T>::pop() {
  struct Awaiter {
    Mailbox& box;
    bool await_ready() const noexcept { return !box.items_.empty() && box.waiters_.empty(); }
    void await_suspend(std::coroutine_handle<> waiter) { box.waiters_.push_back(waiter); }
    T await_resume() {
      T value = std::move(box.items_.front());
      box.items_.pop_front();
      return value;
    }
  };
  return Awaiter{*this};
}

}  // namespace stallcast::sim
