#include "models/contract/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stallcast::models {

double Series::total() const { return std::accumulate(values_.begin(), values_.end(), 0.0); }
double Series::mean() const {
  if (values_.empty()) return 0.0;
  if (weights_.empty()) return total() / static_cast<double>(values_.size());
  return std::inner_product(values_.begin(), values_.end(), weights_.begin(), 0.0) /
         std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

void Series::add(double value, double weight) {
  if (weight != 1.0 && weights_.empty()) weights_.assign(values_.size(), 1.0);
  values_.push_back(value);
  if (weight != 1.0 || !weights_.empty()) weights_.push_back(weight);
}

double Series::variation() const {
  const double middle = mean();
  if (middle == 0.0) return 0.0;
  double squares = 0.0;
  for (const double value : values_) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values_.size())) / middle;
}

double Series::quantile(double q) const {
  std::vector<std::size_t> order(values_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto below = [&](std::size_t a, std::size_t b) { return values_[a] < values_[b]; };
  if (weights_.empty()) {
    const double rank = std::ceil(q * static_cast<double>(order.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(index), order.end(),
                     below);
    return values_[order[index]];
  }
  std::sort(order.begin(), order.end(), below);
  double left = q * std::accumulate(weights_.begin(), weights_.end(), 0.0) * (1.0 - 1e-12);
  for (const std::size_t sample : order)
    if ((left -= weights_[sample]) <= 0.0) return values_[sample];
  return values_[order.back()];
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
