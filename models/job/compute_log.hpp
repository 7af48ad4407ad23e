#pragma once

#include <algorithm>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// When the GPUs of a job computed. A step's useful compute is spread evenly over the time it took.
class ComputeLog {
 public:
  /// A step computed `useful` in the `took` from `began` on. REQUIRES: after all steps before.
  void add(Seconds began, Seconds took, Seconds useful) {
    if (took > Seconds{}) steps_.push_back({began, took, useful});
  }
  /// What of it lies between two dates: parts of steps count as parts.
  [[nodiscard]] Seconds between(Seconds from, Seconds to) const {
    Seconds sum;
    auto step = std::partition_point(steps_.begin(), steps_.end(),
                                     [&](const Step& s) { return s.began + s.took <= from; });
    for (; step != steps_.end() && step->began < to; ++step) {
      const Seconds inside = std::min(to, step->began + step->took) - std::max(from, step->began);
      sum += step->useful * (inside / step->took);
    }
    return sum;
  }

 private:
  struct Step {
    Seconds began, took, useful;
  };
  std::vector<Step> steps_;
};

}  // namespace stallcast::models
