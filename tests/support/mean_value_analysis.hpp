#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stallcast::testing {

/// What a customer needs of one station of a closed network in each cycle, in s.
struct Station {
  double demand = 0.0;
  int servers = 1;
};

/// Cycles a second of n customers between a delay and stations of m servers with one line each, or
/// shared links: exact for product-form networks.
///     R_i(n) = sum_j j / mu(j) p_i(j - 1 | n - 1), mu(j) = min(j, m) / d
///     X(n) = n / (z + sum R_i)
/// [Reiser and Lavenberg 1980; Lazowska et al., Quantitative System Performance, ch. 6 and 8]
[[nodiscard]] inline double mean_value_analysis(int customers, double delay,
                                                const std::vector<Station>& stations) {
  // p_i(j | n), of each station
  std::vector<std::vector<double>> waiting(
      stations.size(), std::vector<double>(static_cast<std::size_t>(customers) + 1, 0.0));
  for (std::vector<double>& of_one : waiting) of_one[0] = 1.0;
  const auto term = [&](std::size_t i, int j) {
    return stations[i].demand / std::min(j, stations[i].servers) *
           waiting[i][static_cast<std::size_t>(j) - 1];
  };
  double cycles = 0.0;
  for (int n = 1; n <= customers; ++n) {
    double round = delay;
    for (std::size_t i = 0; i < stations.size(); ++i)
      for (int j = 1; j <= n; ++j) round += j * term(i, j);
    cycles = n / round;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      double busy = 0.0;
      for (int j = n; j >= 1; --j) {
        const double now = cycles * term(i, j);
        waiting[i][static_cast<std::size_t>(j)] = now;
        busy += now;
      }
      waiting[i][0] = std::max(0.0, 1.0 - busy);
    }
  }
  return cycles;
}

}  // namespace stallcast::testing
