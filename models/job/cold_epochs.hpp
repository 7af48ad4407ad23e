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
  /// Part of an epoch, up to its end, a failure or the end of the run: `steps` took `wall`, saves
  /// left out, and read so much, of which hosts did not find `missed`.
  void add(Seconds wall, std::int64_t steps, Bytes read, Bytes missed) {
    open_.wall += wall;
    open_.steps += static_cast<double>(steps);
    open_.read += read;
    open_.missed += missed;
  }
  /// The epoch ended, or the run in it.
  void end() {
    if (open_.steps > 0.0) epochs_.push_back(open_);
    open_ = {};
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
      if (i == 0 || std::abs(epochs_[i].share() - epochs_.back().share()) > kAlike) continue;
      later += epochs_[i].wall;
      later_steps += epochs_[i].steps;
    }
    if (later_steps == 0.0) return {};
    return std::max(Seconds{}, all - later * (steps / later_steps));
  }

 private:
  static constexpr double kAlike = 0.01;
  struct Epoch {
    Seconds wall{};
    double steps = 0.0;
    Bytes read{}, missed{};
    /// Of what was read that hosts did not find.
    [[nodiscard]] double share() const { return read > Bytes{} ? missed / read : 1.0; }
  };
  Epoch open_;
  std::vector<Epoch> epochs_;
};

}  // namespace stallcast::models
