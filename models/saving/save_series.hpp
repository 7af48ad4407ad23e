#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "models/contract/statistics.hpp"

namespace stallcast::models {

/// Samples of saves, which may end in another order than they began in.
class SaveSeries : public Series {
 public:
  /// Of number `nth` of those that have one, from 0 on.
  void add(std::int64_t nth, double value) {
    moved_.push_back(nth - static_cast<std::int64_t>(size()));
    Series::add(value);
  }
  void describe(sim::Ledger& ledger) {
    Series::describe(ledger);
    ledger.repeat(moved_);
  }
  /// In the order in which the saves began.
  [[nodiscard]] std::vector<double> in_order() const {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto nth = [&](std::size_t i) { return static_cast<std::int64_t>(i) + moved_[i]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return nth(a) < nth(b); });
    std::vector<double> out;
    for (const std::size_t i : order) out.push_back(values()[i]);
    return out;
  }
  /// By their numbers.
  [[nodiscard]] std::map<std::int64_t, double> numbered() const {
    std::map<std::int64_t, double> out;
    for (std::size_t i = 0; i < size(); ++i)
      out[static_cast<std::int64_t>(i) + moved_[i]] = values()[i];
    return out;
  }

 private:
  std::vector<std::int64_t> moved_;  ///< places later than it ended: the same in every period
};

}  // namespace stallcast::models
