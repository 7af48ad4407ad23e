#pragma once

#include <string>
#include <vector>

#include "engine/sim/ledger.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Of what took less, no rate is told.
inline constexpr Seconds kShortest = Seconds::from(1.0, unit::ns);

/// Samples of one quantity over a run; reported as mean, quantiles and maximum.
class Series {
 public:
  void add(double value) { add(value, 1.0); }
  /// One sample that stands for `weight` equal ones. REQUIRES: weight > 0.
  void add(double value, double weight);
  void describe(sim::Ledger& ledger) {
    ledger.repeat(values_);
    ledger.repeat(weights_);
  }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// By weight, as are quantiles; all else is by sample.
  [[nodiscard]] double mean() const;
  [[nodiscard]] double total() const;
  /// Standard deviation over mean; 0 when all samples are 0.
  [[nodiscard]] double variation() const;
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// The smallest sample that at least the share `q` of all samples does not exceed (nearest
  /// rank).
  [[nodiscard]] double quantile(double q) const;
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  /// Adds `name` (mean), `name`.p50, .p95, .p99 and .max. Nothing when empty.
  void report(const std::string& name, const std::string& unit, RunResult& out) const;

 private:
  std::vector<double> values_;
  std::vector<double> weights_;  ///< empty: all alike
};

}  // namespace stallcast::models
