#include "engine/decide/predict/student.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace stallcast::predict {
namespace {

// In double: tables for long double would be computed at every start, and instrumented machines
// have none.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double mean(std::span<const double> values) {
  assert(!values.empty());
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

std::optional<std::pair<double, double>> interval95(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double n = static_cast<double>(values.size());
  const double centre = mean(values);
  double squares = 0.0;
  for (const double v : values) squares += (v - centre) * (v - centre);
  const boost::math::students_t_distribution<double, InDouble> distribution(n - 1.0);
  const double half =
      boost::math::quantile(distribution, 0.975) * std::sqrt(squares / (n - 1.0) / n);
  return std::pair{centre - half, centre + half};
}

}  // namespace stallcast::predict
