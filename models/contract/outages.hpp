#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// When a storage system answered nobody.
class Outages {
 public:
  /// REQUIRES: `now` is not before the end of the one before.
  void begin(Seconds now) { times_.emplace_back(now, Seconds::infinity()); }
  /// The one under way, if any, ends.
  void end(Seconds now) {
    if (!times_.empty()) times_.back().second = std::min(times_.back().second, now);
  }
  /// How much of the time between two dates was outage.
  [[nodiscard]] Seconds within(Seconds from, Seconds to) const {
    Seconds sum;
    for (const auto& [began, ended] : times_)
      sum += std::max(Seconds{}, std::min(to, ended) - std::max(from, began));
    return sum;
  }

 private:
  std::vector<std::pair<Seconds, Seconds>> times_;
};

}  // namespace stallcast::models
