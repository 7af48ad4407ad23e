#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"

namespace stallcast::sim {

/// Awaitable of `join`. `Tasks`: a container of Task<void>.
template <class Tasks>
class Join final : Parts {
 public:
  Join(Context& context, Tasks tasks)
      : context_(context), tasks_(std::move(tasks)), missing_(tasks_.size()) {}
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;
  ~Join() = default;

  [[nodiscard]] bool await_ready() const noexcept { return missing_ == 0; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    if (missing_ == 1) return tasks_.front().await_suspend(waiter);
    for (Task<void>& task : tasks_) task.start(*this);
    waiter_ = waiter;
    return missing_ > 0;
  }
  void await_resume() {
    if (tasks_.size() == 1) tasks_.front().await_resume();
  }

 private:
  // Of one that fails the others are not waited for: the simulation ends.
  void ended(const std::exception_ptr& error) override {
    if (error) return context_.fail(error);
    if (--missing_ == 0 && waiter_) context_.resume_soon(waiter_);
  }

  Context& context_;
  Tasks tasks_;
  std::size_t missing_;
  std::coroutine_handle<> waiter_;  // once all have started
};

/// Runs all `parts` at the same time and ends when the last of them has ended.
[[nodiscard]] inline auto join(Context& context, std::vector<Task<void>> parts) {
  return Join<std::vector<Task<void>>>(context, std::move(parts));
}
/// The same of two, without memory of its own.
[[nodiscard]] inline auto join(Context& context, Task<void> one, Task<void> other) {
  return Join<std::array<Task<void>, 2>>(context, {std::move(one), std::move(other)});
}

/// One transfer as a part of a `join`: how it went is in `outcome` once it has ended.
inline Task<void> transfer_into(Context& context, Flow flow, FlowOutcome& outcome) {
  outcome = co_await context.transfer(flow);
}

}  // namespace stallcast::sim
