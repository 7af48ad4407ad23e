#include "calibration/observe/slowest_of.hpp"

#include <cmath>

#include "engine/base/random.hpp"

namespace stallcast::calibration {
namespace {

struct Largest {
  double mean = 0.0, deviation = 1.0;
};

/// Of `n` standard normal values, by their quantile function: the largest of n uniform values is
/// u^(1/n).
Largest largest_of(double n) {
  constexpr int kPoints = 2000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double u = std::pow((i + 0.5) / kPoints, 1.0 / n);
    const double z = base::normal_quantile(u);
    sum += z;
    squares += z * z;
  }
  const double mean = sum / kPoints;
  return {mean, std::sqrt(squares / kPoints - mean * mean)};
}

}  // namespace

OneOfMany one_of_slowest(double mean, double variation, double ranks) {
  if (ranks <= 1.0 || variation <= 0.0) return {mean, variation};
  const Largest largest = largest_of(ranks);
  const double sigma = std::sqrt(std::log1p(variation * variation)) / largest.deviation;
  const double middle =
      std::log(mean) - std::pow(sigma * largest.deviation, 2) / 2.0 - sigma * largest.mean;
  return {std::exp(middle + sigma * sigma / 2.0), std::sqrt(std::expm1(sigma * sigma))};
}

}  // namespace stallcast::calibration
