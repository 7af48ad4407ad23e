#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::models {

/// What the epochs of a job took, to tell those that fill caches from those that find what is
/// there. docs/models/whole-run.md, equation 2.
class ColdEpochs {
 public:
  /// By name of what counts them.
  using Requests = std::map<std::string, double>;
  /// Part of an epoch, up to its end, a failure or the end of the run: `steps` took `wall`, saves
  /// left out, and read so much, of which hosts did not find `missed`. All steps so far asked for
  /// `asked`, and for nothing ahead where it is `to_end` of the epoch, else for `ahead` as far as
  /// that is known.
  void add(Seconds wall, std::int64_t steps, Bytes read, Bytes missed, const Requests& asked,
           bool to_end, const Requests& ahead = {}) {
    for (const auto& [name, count] : asked) {
      const auto early = ahead.find(name);
      const double more = count - asked_[name] - (early == ahead.end() ? 0.0 : early->second);
      open_.asked.add(name, more, to_end);
    }
    asked_ = asked;
    open_.asked.add(static_cast<double>(steps), to_end);
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
  /// By all steps that were added.
  [[nodiscard]] const Requests& asked() const { return asked_; }

  /// What all steps that are kept took beyond what as many of later epochs take: those after the
  /// first that find as much as the last. Zero where there is none.
  [[nodiscard]] Seconds more() const {
    const Epoch later = this->later();
    if (later.steps == 0.0) return {};
    return std::max(Seconds{}, kept_ - later.wall * (kept_steps_ / later.steps));
  }
  /// Requests of as many steps as are kept, as those of later epochs ask for them where `filled` is
  /// true, else as all do. Parts of epochs that end in the midst have asked ahead, so that they
  /// count only where there are no others.
  [[nodiscard]] Requests goes_on(bool filled) const {
    Asked asked = filled ? later().asked : Asked{};
    if (asked.steps == 0.0) {
      asked = open_.asked;
      for (const Epoch& epoch : epochs_) asked += epoch.asked;
    }
    const bool exact = asked.exact_steps > 0.0;
    Requests out = exact ? asked.exact : asked.all;
    const double steps = exact ? asked.exact_steps : asked.steps;
    for (auto& [name, count] : out) count *= steps > 0.0 ? kept_steps_ / steps : 0.0;
    return out;
  }

 private:
  static constexpr double kAlike = 0.01;
  /// What steps asked for; exact: those that asked for nothing ahead.
  struct Asked {
    Requests all{}, exact{};
    double steps = 0.0, exact_steps = 0.0;
    void add(const std::string& name, double count, bool to_end) {
      all[name] += count;
      if (to_end) exact[name] += count;
    }
    void add(double more, bool to_end) {
      steps += more;
      if (to_end) exact_steps += more;
    }
    Asked& operator+=(const Asked& other) {
      for (const auto& [name, count] : other.all) all[name] += count;
      for (const auto& [name, count] : other.exact) exact[name] += count;
      steps += other.steps;
      exact_steps += other.exact_steps;
      return *this;
    }
  };
  struct Epoch {
    Seconds wall{};
    double steps = 0.0;
    Bytes read{}, missed{};
    Asked asked{};
    /// Of what was read that hosts did not find.
    [[nodiscard]] double share() const { return read > Bytes{} ? missed / read : 1.0; }
  };
  /// Those after the first that find as much as the last, together.
  [[nodiscard]] Epoch later() const {
    Epoch out;
    for (std::size_t i = 1; i < epochs_.size(); ++i) {
      if (std::abs(epochs_[i].share() - epochs_.back().share()) > kAlike) continue;
      out.wall += epochs_[i].wall;
      out.steps += epochs_[i].steps;
      out.asked += epochs_[i].asked;
    }
    return out;
  }
  Epoch open_;
  std::vector<Epoch> epochs_;
  Seconds kept_{};
  double kept_steps_ = 0.0;
  Requests asked_;
};

}  // namespace stallcast::models
