#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "stallcast/units.hpp"

namespace stallcast::calibration::probing {

/// Counts of latencies in bins 1.6 % wide, of fixed size: it lives in shared memory, and zeroed
/// memory is an empty one.
class Latencies {
 public:
  void add(std::uint64_t ns) {
    ++bins_[bin(ns)];
    ++count_;
    sum_ns_ += static_cast<double>(ns);
  }
  void merge(const Latencies& other) {
    for (std::size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
    count_ += other.count_;
    sum_ns_ += other.sum_ns_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// 0 when empty.
  [[nodiscard]] Seconds mean() const {
    return Seconds::from(count_ == 0 ? 0.0 : 1e-9 * sum_ns_ / static_cast<double>(count_), unit::s);
  }
  /// The quantiles p50 to p99.99 that at least `kExceed` samples lie above: fewer say nothing.
  [[nodiscard]] std::map<double, Seconds> quantiles() const {
    std::map<double, Seconds> out;
    for (const double q : {0.5, 0.9, 0.99, 0.999, 0.9999})
      if (static_cast<double>(count_) * (1.0 - q) >= kExceed) out[q] = at(q);
    return out;
  }

 private:
  static constexpr double kExceed = 100.0;  // reruns differ up to 7x at p99.9 of 4 s runs
  static constexpr std::size_t kSub = 64;   // bins per power of two
  static constexpr std::size_t kBins = kSub * 42;

  static std::size_t bin(std::uint64_t ns) {
    if (ns < kSub) return static_cast<std::size_t>(ns);
    const auto power = static_cast<std::size_t>(std::bit_width(ns)) - 7;  // 64..127 is 0
    const std::size_t at = (power + 1) * kSub + static_cast<std::size_t>(ns >> power) - kSub;
    return at < kBins ? at : kBins - 1;
  }
  static double middle(std::size_t bin) {
    if (bin < kSub) return static_cast<double>(bin);
    const double width = std::ldexp(1.0, static_cast<int>(bin / kSub) - 1);
    return (static_cast<double>(bin % kSub + kSub) + 0.5) * width;
  }
  [[nodiscard]] Seconds at(double q) const {
    const double wanted = q * static_cast<double>(count_);
    double seen = 0.0;
    std::size_t i = 0;
    while (i + 1 < kBins && (seen += static_cast<double>(bins_[i])) < wanted) ++i;
    return Seconds::from(1e-9 * middle(i), unit::s);
  }

  std::array<std::uint64_t, kBins> bins_;
  std::uint64_t count_;
  double sum_ns_;
};

}  // namespace stallcast::calibration::probing
