#pragma once

#include <algorithm>
#include <cassert>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/ring.hpp"
#include "stallcast/units.hpp"

/// Discrete resources in addition to the fluid ones. All waiters are served first in, first out,
/// and are resumed through the context's event list, never recursively.
namespace stallcast::sim {

/// A condition that many can wait for. `set` wakes all waiters and stays set until `reset`.
class Signal {
 public:
  explicit Signal(Context& context) : context_(context) {}
  void set();
  void reset() { is_set_ = false; }
  [[nodiscard]] bool is_set() const { return is_set_; }
  /// Whether anybody waits.
  [[nodiscard]] bool awaited() const { return !waiters_.empty(); }
  void describe(Ledger& ledger) const {
    ledger.state(is_set_);
    ledger.state(waiters_.size());
  }
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
  /// Gives one slot back; the first waiter, if any, owns it from now on.
  void release();
  [[nodiscard]] std::int64_t free() const { return free_; }
  void describe(Ledger& ledger) const {
    ledger.state(free_);
    ledger.state(waiters_.size());
  }

 private:
  Context& context_;
  std::int64_t free_;
  Ring<std::coroutine_handle<>> waiters_;
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

/// `servers` identical servers with one FIFO line (M/D/m when arrivals are random), work
/// conserving: every request goes to the server that is free first. The end of a request is known
/// when it arrives, so it costs one timer. A fraction f of a request (folding may ask for 12.5 of
/// them) keeps a server busy for f x service, but its caller still waits a full `service`, because
/// there is no node that is served faster than a whole request. Counts within 1e-9 of a whole
/// number are taken as whole.
class ServerQueue {
 public:
  /// REQUIRES: servers >= 1.
  ServerQueue(Context& context, std::int64_t servers);
  /// `count` requests of `service` each, arriving together (0: none). Returns the date at which the
  /// last of them is served: with all m servers free, now + ceil(count / m) x service. Costs
  /// O(min(count, servers) log servers), however large count is.
  [[nodiscard]] Seconds admit(double count, Seconds service);
  /// The same for requests that arrive evenly in the next `over`: where servers are free and keep
  /// up nobody waits for them.
  [[nodiscard]] Seconds admit(double count, Seconds service, Seconds over) {
    return admit(count, service, over, service);
  }
  /// The same of requests that keep their server for `service` and are answered `answer` after it
  /// began: the earlier or the later of both.
  [[nodiscard]] Seconds admit(double count, Seconds service, Seconds over, Seconds answer);
  /// Servers that are busy now with requests that come evenly and wait for nobody.
  [[nodiscard]] double evenly_busy() const;
  /// Awaitable: `admit`, then sleep until that date.
  [[nodiscard]] auto serve(double count, Seconds service, Seconds over = {}) {
    const Seconds done = admit(count, service, over);
    return context_.sleep(done - context_.now());
  }
  /// Server-seconds of work accepted so far.
  [[nodiscard]] Seconds busy() const { return busy_; }
  /// Of that what is done by now, for utilization.
  [[nodiscard]] Seconds worked() const;
  [[nodiscard]] double served() const { return served_; }
  [[nodiscard]] std::int64_t servers() const { return static_cast<std::int64_t>(free_at_.size()); }
  /// Requests-seconds spent waiting (not in service), for the mean queue.
  [[nodiscard]] Seconds waited() const { return waited_; }
  void describe(Ledger& ledger);

 private:
  /// Gives the earliest free server one request of `length` seconds; returns when it starts.
  double take_first(double now, double length);
  /// Serves so many of `count` whole requests that fewer than servers() are left; returns the rest.
  double serve_rounds(double count, double now, double length, double& last_start);

  Context& context_;
  struct Even {
    Seconds until;
    double busy;  // servers
  };
  std::vector<double> free_at_;  // min-heap of dates in s at which each server is free
  std::vector<Even> even_;       // what comes evenly; some of it is over
  Seconds busy_;
  Seconds waited_;
  double served_ = 0.0;
  double last_free_ = 0.0;  // all are free from this date on
};

/// Rate limit with a burst: an arrival of n waits until n tokens are there.
class TokenBucket {
 public:
  TokenBucket(Context& context, OpRate rate, Ops burst)
      : context_(context), rate_(rate), burst_(burst), level_(burst) {}
  /// Awaitable: waits until `n` tokens have accrued (first come, first served), and takes them.
  [[nodiscard]] auto take(Ops n) { return context_.sleep(promise(n) / rate_); }
  /// Takes `n` tokens now, of which the result (>= 0) has yet to accrue: the caller waits for it.
  [[nodiscard]] Ops promise(Ops n);
  /// Whether nothing of it has.
  [[nodiscard]] bool has(Ops n) const { return level_now() >= n; }
  /// Tokens that are there for whoever comes now.
  [[nodiscard]] Ops there() const { return std::max(level_now(), Ops{}); }
  /// The most there can be.
  [[nodiscard]] Ops burst() const { return burst_; }
  /// From now on another rate, and a burst of as many seconds of it. Who waits in `take` does not
  /// notice. REQUIRES: rate > 0.
  void set_rate(OpRate rate);
  /// All tokens that the rate gave so far, the initial burst left out.
  [[nodiscard]] Ops accrued() const { return accrued_ + rate_ * (context_.now() - updated_); }

 private:
  [[nodiscard]] Ops level_now() const {
    return std::min(burst_, level_ + rate_ * (context_.now() - updated_));
  }
  void update();
  Context& context_;
  OpRate rate_;
  Ops burst_;
  Ops level_;        // may be negative: already promised to earlier arrivals
  Ops accrued_;      // as of `updated_`, like `level_`
  Seconds updated_;  // date of `level_`
};

/// FIFO hand-over of values between programs. `push` never waits.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(Context& context) : context_(context) {}
  void push(T value) { push(std::move(value), Seconds{}); }
  /// It is there `after` that time. REQUIRES: none that is pushed later is there sooner.
  void push(T value, Seconds after);
  /// Awaitable, yields T.
  [[nodiscard]] auto pop();
  /// The same for a consumer who comes at that date, which may be later, and waits in advance.
  /// Yields a T that is pushed then or later; nothing, at that date, where one was pushed before,
  /// which is to be popped. REQUIRES: where it is later, now empty and without another consumer.
  [[nodiscard]] auto pop_from(Seconds date);
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// How many; what they are is for their owner to tell. REQUIRES: all are there.
  void describe(Ledger& ledger) const {
    ledger.state(items_.size());
    std::size_t waiting = 0;
    for (const Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next)
      waiting += waiter->from <= context_.now() ? 1 : 0;
    ledger.state(waiting);
  }

 private:
  struct Waiter;
  struct EarlyWaiter;
  struct Item {
    T value;
    Seconds there;  // date
  };
  // Few small ones lie in the mailbox: there are thousands of it, and each is looked at once a
  // step.
  static constexpr std::uint32_t kInside =
      std::is_trivially_copyable_v<Item> && sizeof(Item) <= 16 ? 2 : 0;
  Context& context_;
  Ring<Item, kInside> items_;  // empty while anybody waits who has come
  Waiter* first_ = nullptr;    // who wait: a list that lies in their frames
  Waiter* last_ = nullptr;
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
      if (slots.free_ == 0) return false;
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

// A value goes to the consumer that has waited longest when it is pushed, not to whoever runs next.
template <class T>
struct Mailbox<T>::Waiter {
  Mailbox& box;
  std::optional<T> value{};
  std::coroutine_handle<> handle{};
  Waiter* next = nullptr;
  Seconds left{};  // until the value is there
  Seconds from{};  // date at which the consumer comes
  bool await_ready() {
    if (box.items_.empty()) return false;
    Item& first = box.items_.front();
    value.emplace(std::move(first.value));
    left = first.there - box.context_.now();
    box.items_.pop_front();
    return left <= Seconds{};
  }
  void await_suspend(std::coroutine_handle<> waiter) {
    if (value) return box.context_.schedule(left, waiter);
    handle = waiter;
    (box.first_ == nullptr ? box.first_ : box.last_->next) = this;
    box.last_ = this;
  }
  T await_resume() { return std::move(*value); }
};

template <class T>
struct Mailbox<T>::EarlyWaiter : Waiter {
  std::optional<T> await_resume() { return std::move(this->value); }
};

template <class T>
void Mailbox<T>::push(T value, Seconds after) {
  if (first_ == nullptr) {
    items_.push_back({std::move(value), context_.now() + after});
    return;
  }
  Waiter* const first = std::exchange(first_, first_->next);
  if (first->from > context_.now()) {
    items_.push_back({std::move(value), context_.now() + after});
    context_.schedule_at(first->from, first->handle);
    return;
  }
  first->value.emplace(std::move(value));
  context_.schedule(after, first->handle);
}

template <class T>
auto Mailbox<T>::pop() {
  return Waiter{*this};
}

template <class T>
auto Mailbox<T>::pop_from(Seconds date) {
  return EarlyWaiter{{.box = *this, .from = date}};
}

}  // namespace stallcast::sim
