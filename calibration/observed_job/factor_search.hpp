#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace stallcast::calibration {

/// Looks for the factor at which a figure that grows with it is what was seen.
class FactorSearch {
 public:
  explicit FactorSearch(double at) : at_(at) {}

  /// The next factor to try, after `off` (simulated less observed) came of the last one.
  double next(double off) {
    (off > 0.0 ? high_ : low_) = Tried{at_, off};
    if (last_ && last_->at != at_ && last_->off != off)
      slope_ = (off - last_->off) / std::log(at_ / last_->at);
    last_ = Tried{at_, off};
    if (!low_) return at_ = std::max(kLeast, stride(-1.0));
    if (!high_) return at_ = std::min(kMost, stride(1.0));
    // False position, kept away from the ends.
    const double part = std::clamp(low_->off / (low_->off - high_->off), 0.1, 0.9);
    return at_ = std::exp(std::log(low_->at) + part * std::log(high_->at / low_->at));
  }
  [[nodiscard]] bool exhausted() const { return at_ <= kLeast || at_ >= kMost; }
  /// Change of the figure by the logarithm of the factor; 0: not known.
  [[nodiscard]] double slope() const { return slope_; }

 private:
  /// Bounds of the factor, and how far it goes in one round.
  static constexpr double kLeast = 1e-3, kMost = 1e3, kStride = 4.0;
  struct Tried {
    double at, off;
  };
  [[nodiscard]] double stride(double sign) const {
    if (slope_ > 0.0 && last_) {
      const double jump =
          std::clamp(-1.3 * last_->off / slope_, -std::log(kStride), std::log(kStride));
      if (jump * sign > 0.02) return at_ * std::exp(jump);
    }
    return at_ * std::pow(kStride, sign * 0.5);
  }
  double at_, slope_ = 0.0;
  std::optional<Tried> low_, high_, last_;
};

}  // namespace stallcast::calibration
