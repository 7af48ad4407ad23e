#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// What the epochs of a job took, to tell those that fill caches from those that find what is
/// there. docs/models/whole-run.md, equation 2.
class ColdEpochs {
 public:
  /// An epoch ended, or the run in it: `steps` of it took `wall`, saves left out. `missed`: share
  /// of what was read that hosts did not find.
  void end(Seconds wall, std::int64_t steps, double missed) {
    if (steps > 0) epochs_.push_back({wall, static_cast<double>(steps), missed});
  }
  [[nodiscard]] std::size_t count() const { return epochs_.size(); }

  /// What all took together beyond what as many steps of later epochs take: those after the first
  /// that find as much as the last. Zero where there is none.
  [[nodiscard]] Seconds more() const {
    Seconds later, all;
    double later_steps = 0.0, steps = 0.0;
    for (std::size_t i = 0; i < epochs_.size(); ++i) {
      all += epochs_[i].wall;
      steps += epochs_[i].steps;
      if (i == 0 || std::abs(epochs_[i].missed - epochs_.back().missed) > kAlike) continue;
      later += epochs_[i].wall;
      later_steps += epochs_[i].steps;
    }
    if (later_steps == 0.0) return {};
    return std::max(Seconds{}, all - later * (steps / later_steps));
  }

 private:
  static constexpr double kAlike = 0.01;
  struct Epoch {
    Seconds wall;
    double steps, missed;
  };
  std::vector<Epoch> epochs_;
};

}  // namespace stallcast::models
