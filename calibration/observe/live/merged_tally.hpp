#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "calibration/observe/live/side_file.hpp"
#include "calibration/observe/tally.hpp"
#include "stallcast/observation.hpp"

namespace stallcast::calibration::live {

/// In which order a distribution tells its values: as they came in any process, or those of one
/// process after those of another.
enum class Told { by_time, by_process };

/// A count as it is told. A file that was written over may hold any number; beyond this a double is
/// none.
[[nodiscard]] inline std::uint64_t told(double count) {
  constexpr double kMostCounted = 0x1p53;
  return static_cast<std::uint64_t>(std::min(count, kMostCounted));
}

/// Values of several processes, each with its own even choice of them: a value stands for as many
/// as its process had for each that it kept. In bounded memory.
class MergedTally {
 public:
  void add(const SideTally& from) {
    if (from.count < 1.0 || from.kept.empty()) return;
    least_ = count_ < 1.0 ? from.least : std::min(least_, from.least);
    most_ = count_ < 1.0 ? from.most : std::max(most_, from.most);
    count_ += from.count;
    measured_ += from.measured;
    sum_ += from.sum;
    double stand_for = 0.0;
    for (const SideTally::Value& one : from.kept) stand_for += one.weight;
    for (const SideTally::Value& one : from.kept)
      kept_.push_back({one.before, one.value, one.weight * from.count / stand_for, processes_});
    ++processes_;
    if (kept_.size() > 8 * kReservoir) thin();
  }
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double measured() const { return measured_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] double mean() const { return count_ > 0.0 ? sum_ / count_ : 0.0; }

  template <class Q, class U>
  [[nodiscard]] std::optional<Distribution<Q>> distribution(U unit,
                                                            Told order = Told::by_time) const {
    if (count_ < 1.0) return std::nullopt;
    Distribution<Q> out;
    out.count = told(count_);
    out.mean = Q::from(mean(), unit);
    out.minimum = Q::from(least_, unit);
    out.maximum = Q::from(most_, unit);
    std::vector<Kept> by_value = kept_, by_time = kept_;
    std::sort(by_value.begin(), by_value.end(),
              [](const Kept& a, const Kept& b) { return a.value < b.value; });
    for (const double share : kQuantileShares)
      out.quantiles[share] = Q::from(at_share(by_value, share), unit);
    std::stable_sort(by_time.begin(), by_time.end(), [order](const Kept& a, const Kept& b) {
      if (order == Told::by_process && a.process != b.process) return a.process < b.process;
      return a.index < b.index;
    });
    const std::size_t written = std::min(by_time.size(), kSample);
    const double whole = weight_of(by_time);
    double passed = 0.0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < written; ++i) {
      const double target = (static_cast<double>(i) + 0.5) * whole / static_cast<double>(written);
      while (next + 1 < by_time.size() && passed + by_time[next].weight < target)
        passed += by_time[next++].weight;
      out.sample.push_back(Q::from(by_time[next].value, unit));
    }
    return out;
  }

 private:
  struct Kept {
    double index = 0.0, value = 0.0, weight = 1.0;
    std::size_t process = 0;
  };
  static double weight_of(const std::vector<Kept>& list) {
    double sum = 0.0;
    for (const Kept& one : list) sum += one.weight;
    return sum;
  }
  /// The smallest value that at least `share` of all are at most as large as.
  static double at_share(const std::vector<Kept>& sorted, double share) {
    const double target = share * weight_of(sorted) * (1.0 - 1e-12);
    double passed = 0.0;
    for (const Kept& one : sorted)
      if ((passed += one.weight) >= target) return one.value;
    return sorted.back().value;
  }
  /// Every second one by size stays, and stands for its neighbour, too: quantiles hardly move.
  void thin() {
    std::sort(kept_.begin(), kept_.end(),
              [](const Kept& a, const Kept& b) { return a.value < b.value; });
    std::vector<Kept> half;
    for (std::size_t i = 0; i + 1 < kept_.size(); i += 2) {
      half.push_back(kept_[i + i / 2 % 2]);
      half.back().weight = kept_[i].weight + kept_[i + 1].weight;
    }
    if (kept_.size() % 2 == 1) half.push_back(kept_.back());
    kept_ = std::move(half);
  }

  double count_ = 0.0, measured_ = 0.0, sum_ = 0.0, least_ = 0.0, most_ = 0.0;
  std::size_t processes_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace stallcast::calibration::live
