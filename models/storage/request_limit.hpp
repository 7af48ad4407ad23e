#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "engine/sim/task.hpp"
#include "models/resources.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// How a client tries again: the n-th wait is uniform in [0, min(cap, base x 2^(n-1))), the "full
/// jitter" of cloud SDKs.
struct BackOff {
  Seconds base, cap;
};

/// Requests a service takes per second. What is too much is refused, and its client backs off.
class RequestLimit {
 public:
  /// REQUIRES: rate > 0, back_off.base > 0.
  RequestLimit(sim::Context& context, ResourceTable& resources, std::string name, OpRate rate,
               Seconds burst, BackOff back_off);

  /// Waits until the rate has room for `count` more requests, first come, first served.
  [[nodiscard]] sim::Task<void> take(double count);
  /// When a request for which there is room `wait` after its first try is tried then or next: the
  /// first retry at or after `wait`. Counts `count` such requests as refused unless it is 0.
  /// `jitter` belongs to the client.    [docs/models/s3.md, eq. 5]
  [[nodiscard]] Seconds back_off(Seconds wait, double count, base::RandomStream& jitter);

  [[nodiscard]] ResourceIndex resource() const { return resource_; }
  [[nodiscard]] double asked() const { return asked_; }
  /// Requests that were refused at first.
  [[nodiscard]] double refused() const { return refused_; }
  /// Most tries a request took.
  [[nodiscard]] std::int64_t most_tries() const { return most_tries_; }
  void report(Seconds wall, std::vector<ResourceUse>& out) const;

 private:
  sim::Context& context_;
  std::string name_;
  OpRate rate_;
  BackOff back_off_;
  sim::TokenBucket bucket_;
  ResourceIndex resource_;
  double asked_ = 0.0, refused_ = 0.0;
  std::int64_t most_tries_ = 1;
};

}  // namespace stallcast::models
