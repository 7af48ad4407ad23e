#include "calibration/measure/probes/steady.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/measure/statistics.hpp"

namespace stallcast::calibration::probing {
bool steady(std::span<const double> rounds) {
  constexpr std::size_t kWindow = 5;
  if (rounds.size() < kWindow) return false;
  const auto last = rounds.last(kWindow);
  const double middle = mean(last);
  const auto [low, high] = std::minmax_element(last.begin(), last.end());
  if (*high - *low > 0.20 * middle) return false;
  // Least squares over x = -2 ... 2: slope = sum(x y) / 10; the line moves by 4 slopes.
  double slope = 0.0;
  for (std::size_t i = 0; i < kWindow; ++i)
    slope += (static_cast<double>(i) - 2.0) * last[i] / 10.0;
  return std::abs(4.0 * slope) <= 0.10 * middle;
}

std::vector<double> rounds_of(std::span<const double> values, std::size_t size) {
  std::vector<double> out;
  for (std::size_t i = 0; i + size <= values.size(); i += size)
    out.push_back(mean(values.subspan(i, size)));
  return out;
}

double first_over_last(std::span<const double> values, std::size_t n) {
  if (n == 0 || values.size() < 2 * n) return 1.0;
  const double last = mean(values.last(n));
  return last > 0.0 ? mean(values.first(n)) / last : 1.0;
}

}  // namespace stallcast::calibration::probing
