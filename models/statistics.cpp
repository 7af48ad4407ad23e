#include "models/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast::models {

double Series::total() const { return std::accumulate(values_.begin(), values_.end(), 0.0); }
double Series::mean() const {
  return values_.empty() ? 0.0 : total() / static_cast<double>(values_.size());
}

double Series::variation() const {
  const double middle = mean();
  if (middle == 0.0) return 0.0;
  double squares = 0.0;
  for (const double value : values_) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values_.size())) / middle;
}

double Series::quantile(double q) const {
  std::vector<double> sorted = values_;
  const double rank = std::ceil(q * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(index),
                   sorted.end());
  return sorted[index];
}

void Series::report(const std::string& name, const std::string& unit, RunResult& out) const {
  if (empty()) return;
  out.metrics[name] = {mean(), unit, {}};
  out.metrics[name + ".p50"] = {quantile(0.50), unit, {}};
  out.metrics[name + ".p95"] = {quantile(0.95), unit, {}};
  out.metrics[name + ".p99"] = {quantile(0.99), unit, {}};
  out.metrics[name + ".max"] = {quantile(1.0), unit, {}};
}

}  // namespace stallcast::models
