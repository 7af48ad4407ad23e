#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/split_mix.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Times of operations in bounded memory: count, sum and longest of all, quantiles of an even
/// choice of 65,536 additions (Vitter, Algorithm R, 1985), each with its operations.
class CallTimes {
 public:
  void add(double seconds, double operations) {
    count_ += operations;
    sum_ += seconds * operations;
    most_ = std::max(most_, seconds);
    ++samples_;
    if (kept_.size() < kKept) return kept_.emplace_back(seconds, operations), void();
    if (const std::uint64_t slot = base::split_mix(state_) % samples_; slot < kKept)
      kept_[slot] = {seconds, operations};
  }
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }

  /// Adds `name` (mean), `name`.p50, .p95, .p99 and .max; nothing when there is none.
  void report(const std::string& name, RunResult& out) const {
    if (count_ <= 0.0) return;
    std::vector<std::pair<double, double>> sorted = kept_;
    std::sort(sorted.begin(), sorted.end());
    double all = 0.0;
    for (const auto& [seconds, operations] : sorted) all += operations;
    const auto at = [&](double share) {
      double below = 0.0;
      for (const auto& [seconds, operations] : sorted)
        if ((below += operations) >= share * all * (1.0 - 1e-12)) return seconds;
      return sorted.back().first;
    };
    out.metrics[name] = {sum_ / count_, "s", {}};
    out.metrics[name + ".p50"] = {at(0.5), "s", {}};
    out.metrics[name + ".p95"] = {at(0.95), "s", {}};
    out.metrics[name + ".p99"] = {at(0.99), "s", {}};
    out.metrics[name + ".max"] = {most_, "s", {}};
  }

 private:
  static constexpr std::size_t kKept = std::size_t{1} << 16U;
  std::vector<std::pair<double, double>> kept_;  ///< seconds, and of how many operations
  std::uint64_t samples_ = 0, state_ = 0;
  double count_ = 0.0, sum_ = 0.0, most_ = 0.0;
};

}  // namespace stallcast::models
