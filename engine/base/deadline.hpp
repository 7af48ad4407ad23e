#pragma once

#include <chrono>
#include <limits>

namespace stallcast::base {

/// The moment until which work may go on, by the clock on the wall. Copies keep it: what is handed
/// on to a part of the work is what is left of the whole.
class Deadline {
 public:
  Deadline() = default;  ///< none

  /// `seconds` from now; infinity: none. Of 0 or less it has passed.
  [[nodiscard]] static Deadline in(double seconds) {
    Deadline out;
    out.limit_s_ = seconds;
    return out;
  }

  /// Seconds until then, less than 0 after it.
  [[nodiscard]] double left_s() const {
    return limit_s_ - std::chrono::duration<double>(Clock::now() - set_).count();
  }
  [[nodiscard]] bool passed() const { return !(left_s() > 0.0); }

 private:
  using Clock = std::chrono::steady_clock;
  double limit_s_ = std::numeric_limits<double>::infinity();
  Clock::time_point set_ = Clock::now();
};

}  // namespace stallcast::base
