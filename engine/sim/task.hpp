#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/sim/frame_pool.hpp"

namespace stallcast::sim {

/// A program in simulated time: a lazy coroutine that starts when it is awaited (or spawned) and
/// resumes its awaiter when it ends. Owns its frame; destroying an unfinished Task destroys it.
template <class T = void>
class [[nodiscard]] Task;

/// Who runs several programs side by side, and is told when each of them ends (join.hpp).
class Parts {
 public:
  virtual void ended(const std::exception_ptr& error) = 0;

 protected:
  ~Parts() = default;
};

namespace detail {

struct PromiseBase : PooledFrame {
  std::coroutine_handle<> continuation;
  Parts* part_of = nullptr;  // instead of a continuation
  std::exception_ptr error;
  // True while the awaiter's await_suspend runs the task's first leg. A task that ends within it
  // does not resume its awaiter, which then just goes on: a loop over tasks that never wait needs
  // no stack, even where the compiler does not make resumption a tail call.
  bool starting = false;

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept {
      if (h.promise().part_of != nullptr) h.promise().part_of->ended(h.promise().error);
      if (h.promise().starting || !h.promise().continuation) return std::noop_coroutine();
      return h.promise().continuation;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { error = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T v) { value = std::move(v); }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void take() {}
};

/// What a task yields that need not run; nothing where it must. Moving nothing costs nothing.
template <class T>
class Known {
 public:
  Known() = default;
  explicit Known(T value) : value_(std::move(value)) {}
  Known(Known&& other) noexcept {
    if (other.value_) value_ = std::move(other.value_);
  }
  Known& operator=(Known&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
  ~Known() = default;
  T take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
};
template <>
class Known<void> {
 public:
  void take() {}
};

}  // namespace detail

/// A task that need not run, since what it yields is known.
template <class T>
Task<T> known(T value) {
  return Task<T>(detail::Known<T>(std::move(value)));
}

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  /// One that has ended with `known` before it starts, without a frame.
  explicit Task(detail::Known<T> known) : known_(std::move(known)) {}
  Task(Task&& other) noexcept
      : handle_(std::exchange(other.handle_, {})), known_(std::move(other.known_)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(known_, other.known_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return !handle_; }
  /// False (go on at once) when the task ended without waiting.
  bool await_suspend(std::coroutine_handle<> awaiter) {
    handle_.promise().continuation = awaiter;
    handle_.promise().starting = true;
    handle_.resume();
    handle_.promise().starting = false;
    return !handle_.done();
  }
  T await_resume() {
    if (!handle_) return known_.take();
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return handle_.promise().take();
  }
  /// Runs it up to where it waits first; `parts` outlives it.
  void start(Parts& parts) requires std::is_void_v<T> {
    handle_.promise().part_of = &parts;
    handle_.resume();
  }

 private:
  Handle handle_;
  [[no_unique_address]] detail::Known<T> known_;  // where there is no handle
};

namespace detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}
}  // namespace detail

}  // namespace stallcast::sim
