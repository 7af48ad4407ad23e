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
    const auto over = [&](const auto& outage) { return outage.second <= from; };
    for (auto at = std::partition_point(times_.begin(), times_.end(), over);
         at != times_.end() && at->first < to; ++at)
      sum += std::min(to, at->second) - std::max(from, at->first);
    return sum;
  }

 private:
  std::vector<std::pair<Seconds, Seconds>> times_;
};

}  // namespace stallcast::models
