#include "calibration/fit/simplex.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::calibration::fit {
namespace {

constexpr double kTolerance = 1e-4;

struct Corner {
  std::vector<double> at;
  double loss = 0.0;
};

}  // namespace

std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& loss,
                             const std::vector<double>& start, double step, int evaluations) {
  const std::size_t n = start.size();
  const auto corner = [&](std::vector<double> at) {
    --evaluations;
    const double value = loss(at);
    return Corner{std::move(at), value};
  };
  std::vector<Corner> corners{corner(start)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> at = start;
    at[i] += step;
    corners.push_back(corner(std::move(at)));
  }
  while (evaluations > 0) {
    std::stable_sort(corners.begin(), corners.end(),
                     [](const Corner& a, const Corner& b) { return a.loss < b.loss; });
    const Corner best = corners.front();
    Corner& worst = corners.back();
    double width = 0.0;
    for (std::size_t j = 0; j < n; ++j) width = std::max(width, std::abs(worst.at[j] - best.at[j]));
    if (width < kTolerance) break;
    std::vector<double> centre(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) centre[j] += corners[i].at[j] / static_cast<double>(n);
    // `k` = 1 mirrors the worst corner at the centre of the others, -1/2 draws it inwards.
    const auto moved = [&](double k) {
      std::vector<double> at(n);
      for (std::size_t j = 0; j < n; ++j) at[j] = centre[j] + k * (centre[j] - worst.at[j]);
      return corner(std::move(at));
    };
    Corner next = moved(1.0);
    if (next.loss < best.loss) {
      if (Corner further = moved(2.0); further.loss < next.loss) next = std::move(further);
    } else if (next.loss >= corners[n - 1].loss) {
      next = moved(next.loss < worst.loss ? 0.5 : -0.5);
    }
    if (next.loss < worst.loss) {
      worst = std::move(next);
      continue;
    }
    for (std::size_t i = 1; i <= n; ++i) {
      std::vector<double> at = corners[i].at;
      for (std::size_t j = 0; j < n; ++j) at[j] = 0.5 * (at[j] + best.at[j]);
      corners[i] = corner(std::move(at));
    }
  }
  return std::min_element(corners.begin(), corners.end(),
                          [](const Corner& a, const Corner& b) { return a.loss < b.loss; })
      ->at;
}

}  // namespace stallcast::calibration::fit
