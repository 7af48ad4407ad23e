#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "stallcast/diagnostic.hpp"

namespace stallcast {

/// Why something that depends on the environment (a file, a process) did not work, and the exit
/// code a program should end with when nobody can do better.
struct Failure {
  ExitCode exit = ExitCode::internal;
  std::string message;  ///< one sentence, lower case, no full stop
  std::string hint;     ///< what to do; may be empty
};

/// A value, or the reason why there is none. Never both; check before `value()`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  /// REQUIRES: ok().
  [[nodiscard]] T& value() & { return assert(ok()), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return assert(ok()), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// REQUIRES: !ok().
  [[nodiscard]] const Failure& failure() const { return assert(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace stallcast
