#include "ui/desktop/knee.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::desktop {

Knee knee_of(std::span<const std::pair<double, double>> curve, bool logarithmic) {
  if (curve.size() < kKneePoints) return {std::nullopt, 0.0, NoKnee::few};
  double low = curve.front().second, high = low;
  for (const auto& [x, y] : curve) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  if (high - low <= kKneeMove * std::max(std::abs(low), std::abs(high)))
    return {std::nullopt, 0.0, NoKnee::flat};
  const auto x_of = [&](double x) { return logarithmic ? std::log(x) : x; };
  const double first = x_of(curve.front().first), wide = x_of(curve.back().first) - first;
  const auto place = [&](std::size_t i) {
    return std::pair((x_of(curve[i].first) - first) / wide, (curve[i].second - low) / (high - low));
  };
  // The chord goes from (0, from) to (1, to): d = |y - from - (to - from) x| / sqrt(1 + (to -
  // from)^2).
  const double from = place(0).second, slope = place(curve.size() - 1).second - from;
  Knee out{std::nullopt, 0.0, NoKnee::straight};
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const auto [x, y] = place(i);
    const double distance = std::abs(y - from - slope * x) / std::hypot(1.0, slope);
    if (distance > out.distance) out = {i, distance, NoKnee::none};
  }
  if (out.distance < kKneeDistance) return {std::nullopt, out.distance, NoKnee::straight};
  return out;
}

}  // namespace stallcast::desktop
