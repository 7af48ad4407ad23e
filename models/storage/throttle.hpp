#pragma once

#include <deque>
#include <limits>
#include <optional>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"

namespace stallcast::models {

/// A limit of bytes and of requests per second with a burst: two token buckets, full at the start,
/// and one line in front of both. A request waits until both have enough for it; those behind it
/// wait for it. docs/models/measured.md, eq. 5.
class Throttle {
 public:
  /// How tokens come back: all the time, or a bucket full at the end of each slice that is as long
  /// as the burst, counted from the first request after a rest (Linux blk-throttle).
  enum class Refill { steady, slices };

  Throttle() = default;
  /// Each bucket holds what its rate gives in `burst`, and at the start `full` of it; without a
  /// rate it does not limit.
  Throttle(sim::Context& context, std::optional<Rate> bytes, std::optional<OpRate> requests,
           Seconds burst, Refill refill = Refill::steady, double full = 1.0);

  /// When `requests` that arrive now, of `bytes` together, may pass.
  [[nodiscard]] Seconds admit(Bytes bytes, double requests);
  /// Waits until then.
  [[nodiscard]] sim::Task<void> take(Bytes bytes, double requests);
  /// The same of `rounds` such parts, each of which joins the line once the one before has passed:
  /// others who wait pass between them.
  [[nodiscard]] sim::Task<void> take(Bytes bytes, double requests, double rounds);
  [[nodiscard]] bool limits() const { return bytes_.limits() || requests_.limits(); }
  /// Tokens now of the only bucket that limits; fewer than none where some were promised that are
  /// to come. REQUIRES: it is refilled steadily.
  [[nodiscard]] double left() const;
  /// Bytes that have passed by now.
  [[nodiscard]] Bytes passed() const;

 private:
  /// A request passes from when the one before has to when it has.
  struct Passing {
    double from = 0.0, to = 0.0;  // s
    Bytes bytes;
  };
  struct Bucket {
    double rate = std::numeric_limits<double>::infinity();  // tokens per second
    double depth = 0.0, level = 0.0;
    double slice = 0.0, slice_end = 0.0;  // s; 0: tokens come all the time
    double at = 0.0;                      // s: date of the level

    [[nodiscard]] bool limits() const { return rate < std::numeric_limits<double>::infinity(); }
    /// Somebody asks at `now`: until then tokens came, at most a bucket full; after a rest a slice
    /// begins.
    void ask(double now);
    /// When `tokens` that are asked for at `now` are there.
    [[nodiscard]] double when(double now, double tokens) const;
    /// They are taken at `date`, which is not before `when` said.
    void take(double date, double tokens);
  };

  sim::Context* context_ = nullptr;
  Bucket bytes_, requests_;
  double at_ = 0.0;                                          // s: when the last request passed
  double fewest_ = std::numeric_limits<double>::infinity();  // rounds of one call
  Bytes passed_;  // those that are not in `passing_` any more
  std::deque<Passing> passing_;
};

}  // namespace stallcast::models
