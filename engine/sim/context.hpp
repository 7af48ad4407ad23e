#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/ledger.hpp"
#include "engine/sim/task.hpp"
#include "stallcast/units.hpp"

/// All that a model can do in simulated time. Models are coroutines over a Context:
///
///     co_await ctx.sleep(200_us);
///     co_await ctx.transfer({.path = path, .bytes = 16_MiB, .members = 64});
///
/// Two implementations: SimGrid (simgrid_context.hpp) and one without it for tests of models
/// (fluid_context.hpp). Single-threaded; nothing here may be called from outside `run`.
namespace stallcast::sim {

/// A fluid resource: capacity shared max-min among the flows that cross it.
struct LinkId {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const LinkId&) const = default;
  [[nodiscard]] bool valid() const { return index != std::numeric_limits<std::uint32_t>::max(); }
};

/// One transfer by a class of `members` identical nodes that act together (folding). Each member
/// moves `bytes` at no more than `cap`; on every link the class takes members x the rate of one
/// member, with max-min weight `members`. Exact for any real number of members.
struct Flow {
  std::span<const LinkId> path;  ///< only read while the transfer starts; may be empty
  Bytes bytes;                   ///< per member; zero completes at once
  double members = 1.0;
  Rate cap = Rate::infinity();  ///< per member

  /// How long it takes if no link carries it (no path, or nothing to move); nothing otherwise.
  [[nodiscard]] std::optional<Seconds> alone() const {
    if (bytes == Bytes{} || (path.empty() && !cap.finite())) return Seconds{};
    if (path.empty()) return bytes / cap;
    return std::nullopt;
  }
};

/// `flow` with weight `share` for each of its members instead of 1: n members of weight w that move
/// b bytes each share like n w members that move b / w bytes each.
[[nodiscard]] inline Flow weighted(Flow flow, double share) {
  flow.members *= share;
  flow.bytes = flow.bytes / share;
  flow.cap = flow.cap / share;
  return flow;
}

/// One that starts `after` some time.
struct LaterFlow {
  Seconds after;
  Flow flow;
};

/// How a transfer went.
struct FlowOutcome {
  Seconds began;
  Seconds ended;
  LinkId binding;  ///< link with the least capacity per unit of weight when it ended; invalid when
                   ///< the flow's own cap was lower than every link's share
};

/// What one link carried so far.
struct LinkUse {
  std::string_view name;  ///< until a link is added
  Rate capacity;
  Bytes carried;             ///< by all finished flows, all members counted
  double peak_weight = 0.0;  ///< most members that were active at one time
  Seconds active;            ///< how long any was
  Seconds spent;             ///< by members, all added up: over a time, how many there were
};

/// Who goes on when transfers have ended.
struct Arrivals {
  std::size_t missing = 0;  ///< transfers
  std::coroutine_handle<> waiter;
};

class Context {
 public:
  virtual ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Simulated date, 0 at the start.
  [[nodiscard]] Seconds now() const { return Seconds::from(now_, unit::s); }

  /// A new shared resource. REQUIRES: capacity > 0 and finite.
  virtual LinkId add_link(std::string name, Rate capacity) = 0;
  /// Takes effect for running flows too. REQUIRES: capacity > 0 and finite.
  virtual void set_capacity(LinkId link, Rate capacity) = 0;

  /// Awaitable: resumes `delay` later (0: after everything already due now). REQUIRES: delay >= 0.
  [[nodiscard]] auto sleep(Seconds delay);
  /// The same at a date. REQUIRES: date >= now().
  [[nodiscard]] auto sleep_until(Seconds date);
  /// Awaitable, yields FlowOutcome: resumes when every member's bytes have arrived. It starts when
  /// this is called, by who awaits it there and then.
  [[nodiscard]] auto transfer(const Flow& flow);
  /// The same of a flow that starts `delay` later (0: now): for the price of a transfer, without
  /// the program in between.
  [[nodiscard]] auto transfer_after(Seconds delay, const Flow& flow);
  /// Starts all `flows` now (the stripes of a file, say) and ends when the last of them has ended;
  /// how each went is in `outcomes`, as many, which outlive the task. Costs one program for all.
  Task<void> transfer_all(std::span<const Flow> flows, std::span<FlowOutcome> outcomes);

  /// Starts `task` now, concurrently with the caller, and keeps it until it ends. An exception that
  /// leaves it ends the simulation and is rethrown by `run`.
  void spawn(Task<void> task);
  /// Ends the simulation; `run` throws the first `error`.
  void fail(const std::exception_ptr& error) {
    if (!error_) error_ = error;
    stop();
  }
  /// A program that sleeps from now for `delay` only watches: `describe` leaves it out.
  void watch(Seconds delay) { watched_.push_back(now_ + delay.in(unit::s)); }
  /// Resumes `waiter` at the current date, after everything already due.
  void resume_soon(std::coroutine_handle<> waiter) { schedule(Seconds{}, waiter); }

  /// Runs until nothing is left to do, `stop` was called, or `horizon` is reached. May be called
  /// again.
  virtual void run(Seconds horizon = Seconds::infinity()) = 0;
  /// Ends `run` as soon as the current program suspends; what is unfinished stays so.
  virtual void stop() = 0;

  /// Tells whoever watches that the simulation is `fraction` (0..1) done. May be called often.
  void report_progress(double fraction) {
    if (on_progress) on_progress(fraction);
  }
  std::function<void(double)> on_progress;

  [[nodiscard]] virtual LinkUse use(LinkId link) const = 0;
  [[nodiscard]] virtual std::uint32_t link_count() const = 0;
  /// Adds to `moved`, by link, what flows that still run have carried over it up to now.
  virtual void add_running(std::span<Bytes> moved) const = 0;
  /// Everything that is under way, and what links carried.
  virtual void describe(Ledger& ledger) = 0;
  /// Timers fired and flows finished so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }

  /// For awaitables: resume `waiter` after `delay`.
  virtual void schedule(Seconds delay, std::coroutine_handle<> waiter) = 0;
  /// The same at a date. REQUIRES: date >= now().
  virtual void schedule_at(Seconds date, std::coroutine_handle<> waiter) = 0;
  /// For awaitables: start `flow`; when it is done, fill `outcome` and take it off `arrivals`,
  /// whose waiter resumes when none is missing. REQUIRES: `flow` does not go alone.
  virtual void start(const Flow& flow, FlowOutcome& outcome, Arrivals& arrivals) = 0;
  /// For awaitables: the same `delay` later, for arrivals that miss no other. `flow` may go alone.
  virtual void start_after(Seconds delay, const Flow& flow, FlowOutcome& outcome,
                           Arrivals& arrivals) = 0;

 protected:
  Context() = default;
  /// Destroys what `spawn` still holds; called by destructors of implementations before their state
  /// goes.
  void drop_tasks();
  /// Throws what a spawned task threw.
  void rethrow_task_error();
  std::uint64_t events_ = 0;
  std::vector<double> watched_;  ///< dates of timers that decide nothing
  /// The date now, in s; set by the implementation, never backwards.
  double now_ = 0.0;

 private:
  struct Root;
  Root run_root(Task<void> task);
  std::vector<std::coroutine_handle<>> roots_;
  std::exception_ptr error_;
};

inline auto Context::sleep_until(Seconds date) {
  struct Awaiter {
    Context& context;
    Seconds date;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { context.schedule_at(date, waiter); }
    void await_resume() const noexcept {}
  };
  return Awaiter{*this, date};
}

inline auto Context::sleep(Seconds delay) { return sleep_until(now() + delay); }

namespace detail {

/// A flow that starts when this is made, in the frame of who waits for it.
struct TransferAwaiter {
  FlowOutcome outcome{};
  Arrivals arrivals{.missing = 1, .waiter = {}};

  TransferAwaiter() = default;
  TransferAwaiter(const TransferAwaiter&) = delete;
  TransferAwaiter& operator=(const TransferAwaiter&) = delete;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { arrivals.waiter = waiter; }
  FlowOutcome await_resume() const noexcept { return outcome; }
};

}  // namespace detail

inline auto Context::transfer(const Flow& flow) {
  struct Awaiter : detail::TransferAwaiter {
    Context& context;
    std::optional<Seconds> alone;
    Awaiter(Context& by, const Flow& flow) : context(by), alone(flow.alone()) {
      if (alone)
        outcome = {.began = context.now(), .ended = context.now() + *alone, .binding = {}};
      else
        context.start(flow, outcome, arrivals);
    }
    void await_suspend(std::coroutine_handle<> waiter) {
      if (alone) return context.schedule(*alone, waiter);
      TransferAwaiter::await_suspend(waiter);
    }
  };
  return Awaiter{*this, flow};
}

inline auto Context::transfer_after(Seconds delay, const Flow& flow) {
  struct Awaiter : detail::TransferAwaiter {
    Awaiter(Context& context, Seconds delay, const Flow& flow) {
      context.start_after(delay, flow, outcome, arrivals);
    }
  };
  return Awaiter{*this, delay, flow};
}

/// A transfer that starts later, kept by whoever will wait for it. It ends before this goes, and
/// this stays where it is meanwhile.
class Later {
 public:
  Later() = default;
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  /// REQUIRES: the one before has ended.
  void start(Context& context, Seconds delay, const Flow& flow) {
    arrivals_ = {.missing = 1, .waiter = {}};
    context.start_after(delay, flow, outcome_, arrivals_);
  }
  /// Awaitable, yields FlowOutcome: resumes when it has ended. REQUIRES: started, at this date.
  [[nodiscard]] auto end() {
    struct Awaiter {
      Later& later;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const noexcept {
        later.arrivals_.waiter = waiter;
      }
      const FlowOutcome& await_resume() const noexcept { return later.outcome_; }
    };
    return Awaiter{*this};
  }

 private:
  FlowOutcome outcome_{};
  Arrivals arrivals_{};
};

/// A transfer that goes on beside what its starter does next. It ends before this goes, and this
/// stays where it is meanwhile.
class Beside {
 public:
  Beside() = default;
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// REQUIRES: not started before; `flow` does not go alone.
  void start(Context& context, const Flow& flow) { context.start(flow, outcome_, arrivals_); }
  /// Awaitable, yields FlowOutcome: resumes when it has ended. REQUIRES: started; once.
  [[nodiscard]] auto end() {
    struct Awaiter {
      Beside& beside;
      bool await_ready() const noexcept { return --beside.arrivals_.missing == 0; }
      void await_suspend(std::coroutine_handle<> waiter) const noexcept {
        beside.arrivals_.waiter = waiter;
      }
      FlowOutcome await_resume() const noexcept { return beside.outcome_; }
    };
    return Awaiter{*this};
  }

 private:
  FlowOutcome outcome_{};
  Arrivals arrivals_{.missing = 2, .waiter = {}};  // the transfer, and whoever waits for it
};

}  // namespace stallcast::sim
