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
    kept_ += wall;
    kept_steps_ += static_cast<double>(steps);
  }
  /// A failure undid `steps`, which had taken `wall`. They still tell how fast epochs are.
  void lose(Seconds wall, std::int64_t steps) {
    kept_ -= wall;
    kept_steps_ -= static_cast<double>(steps);
  }
  /// The epoch ended, or the run in it.
  void end() {
    if (open_.steps > 0.0) epochs_.push_back(open_);
    open_ = {};
  }
  [[nodiscard]] std::size_t count() const { return epochs_.size(); }

  /// What all steps that are kept took beyond what as many of later epochs take: those after the
  /// first that find as much as the last. Zero where there is none.
  [[nodiscard]] Seconds more() const {
    Seconds later;
    double steps = 0.0;
    for (std::size_t i = 1; i < epochs_.size(); ++i) {
      if (std::abs(epochs_[i].share() - epochs_.back().share()) > kAlike) continue;
      later += epochs_[i].wall;
      steps += epochs_[i].steps;
    }
    if (steps == 0.0) return {};
    return std::max(Seconds{}, kept_ - later * (kept_steps_ / steps));
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
  Seconds kept_{};
  double kept_steps_ = 0.0;
};

}  // namespace stallcast::models
