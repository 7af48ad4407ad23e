#pragma once

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
  Throttle() = default;
  /// Each bucket holds what its rate gives in `burst`; without a rate it does not limit.
  Throttle(sim::Context& context, std::optional<Rate> bytes, std::optional<OpRate> requests,
           Seconds burst);

  /// When `requests` that arrive now, of `bytes` together, may pass.
  [[nodiscard]] Seconds admit(Bytes bytes, double requests);
  /// Waits until then.
  [[nodiscard]] sim::Task<void> take(Bytes bytes, double requests);
  [[nodiscard]] bool limits() const { return bytes_.limits() || requests_.limits(); }

 private:
  struct Bucket {
    double rate = std::numeric_limits<double>::infinity();  // tokens per second
    double depth = 0.0, level = 0.0;

    [[nodiscard]] bool limits() const { return rate < std::numeric_limits<double>::infinity(); }
    /// Fills for `time`, at most to what `tokens` need.
    void fill(double time, double tokens);
    /// Seconds until there are `tokens`.
    [[nodiscard]] double wait(double tokens) const;
  };

  sim::Context* context_ = nullptr;
  Bucket bytes_, requests_;
  double at_ = 0.0;  // s: date of the levels, when the last request passed
};

}  // namespace stallcast::models
