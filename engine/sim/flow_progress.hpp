#pragma once

#include <span>

#include "stallcast/units.hpp"

namespace stallcast::sim {

/// What a context can tell besides: every implementation of Context is one. Apart from it, since
/// only who records a run asks (models/record/).
class FlowProgress {
 public:
  virtual ~FlowProgress() = default;
  /// Adds to `moved`, by link, what flows that still run have carried over it up to now.
  virtual void add_running(std::span<Bytes> moved) const = 0;
};

}  // namespace stallcast::sim
