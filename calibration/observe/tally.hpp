#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/split_mix.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/units.hpp"

namespace stallcast::calibration {

/// The quantiles of a Distribution.
inline constexpr std::array kQuantileShares{0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/// Values of one quantity as they come, in bounded memory: count, sum, extremes, and an even random
/// choice of kReservoir values (Vitter, Algorithm R, 1985), always the same for the same values.
template <class Tag>
class Tally {
 public:
  using Value = Quantity<Tag>;

  void add(Value value) { add(value.in(kBase)); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Value sum() const { return Value::from(sum_, kBase); }

  /// Nothing when no value came.
  [[nodiscard]] std::optional<Distribution<Value>> distribution() const {
    if (count_ == 0) return std::nullopt;
    Distribution<Value> out;
    out.count = count_;
    out.mean = Value::from(sum_ / static_cast<double>(count_), kBase);
    out.minimum = Value::from(least_, kBase);
    out.maximum = Value::from(most_, kBase);
    std::vector<std::pair<std::uint64_t, double>> kept = kept_;
    std::sort(kept.begin(), kept.end());
    const std::size_t written = std::min(kept.size(), kSample);
    for (std::size_t i = 0; i < written; ++i)
      out.sample.push_back(Value::from(kept[i * kept.size() / written].second, kBase));
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const double share : kQuantileShares) {
      const auto rank = static_cast<std::size_t>(
          std::ceil(share * static_cast<double>(kept.size())));  // nearest rank
      out.quantiles[share] = Value::from(kept[std::max<std::size_t>(rank, 1) - 1].second, kBase);
    }
    return out;
  }

 private:
  static constexpr Unit<Tag> kBase{1.0};

  void add(double value) {
    least_ = count_ == 0 ? value : std::min(least_, value);
    most_ = count_ == 0 ? value : std::max(most_, value);
    sum_ += value;
    const std::uint64_t index = count_++;
    if (kept_.size() < kReservoir) return kept_.emplace_back(index, value), void();
    const std::uint64_t slot = base::split_mix(state_) % count_;
    if (slot < kReservoir) kept_[slot] = {index, value};
  }

  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  double least_ = 0.0;
  double most_ = 0.0;
  std::uint64_t state_ = 0;
  std::vector<std::pair<std::uint64_t, double>> kept_;
};

using SecondsTally = Tally<SecondsTag>;
using BytesTally = Tally<BytesTag>;
using OpsTally = Tally<OpsTag>;

}  // namespace stallcast::calibration
