#include "engine/sim/context.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stallcast::sim {

// The frame of a spawned task: starts at once, removes itself from the context when it ends.
struct Context::Root {
  struct promise_type : PooledFrame {
    Context& context;
    std::size_t place;  // in context.roots_

    promise_type(Context& owner, Task<void>& /*task*/)
        : context(owner), place(owner.roots_.size()) {
      owner.roots_.push_back(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;
    ~promise_type() {
      const std::coroutine_handle<> last = context.roots_.back();
      context.roots_[place] = last;
      std::coroutine_handle<promise_type>::from_address(last.address()).promise().place = place;
      context.roots_.pop_back();
    }
    Root get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { context.fail(std::current_exception()); }
  };
};

Context::~Context() = default;

Context::Root Context::run_root(Task<void> task) { co_await task; }

void Context::spawn(Task<void> task) { run_root(std::move(task)); }

Task<void> Context::transfer_all(std::span<const Flow> flows, std::span<FlowOutcome> outcomes) {
  assert(flows.size() == outcomes.size());
  struct Awaiter {
    Context& context;
    std::span<const Flow> flows;
    std::span<FlowOutcome> outcomes;
    Seconds last;  // end of those that go alone
    Arrivals arrivals{};
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) {
      arrivals.waiter = waiter;
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (const std::optional<Seconds> time = flows[i].alone()) {
          outcomes[i] = {.began = context.now(), .ended = context.now() + *time, .binding = {}};
          last = std::max(last, outcomes[i].ended);
        } else {
          ++arrivals.missing;
          context.start(flows[i], outcomes[i], arrivals);
        }
      }
      return arrivals.missing > 0;
    }
    Seconds await_resume() const noexcept { return last; }
  };
  const Seconds last = co_await Awaiter{*this, flows, outcomes, now()};
  if (last > now()) co_await sleep(last - now());
}

void Context::drop_tasks() {
  while (!roots_.empty()) roots_.back().destroy();
}

void Context::rethrow_task_error() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace stallcast::sim
