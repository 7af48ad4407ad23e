#include "models/tenant/answers.hpp"

#include <array>
#include <cmath>

namespace stallcast::models {
namespace {

// Parts of all requests, from the quickest to the slowest, end at these shares of them; the
// quantiles that are reported are in the middle of theirs.
constexpr std::array kShares{0.1,  0.3,  0.45,  0.55,  0.7,   0.8, 0.9,
                             0.94, 0.96, 0.985, 0.995, 0.999, 1.0};

}  // namespace

// The slowest of k exponential times is at most -m ln(1 - u^(1/k)) with probability u.
void add_spread(Seconds time, double weight, Tail tail, Series& to) {
  if (tail.mean <= Seconds{}) return to.add(time.in(unit::s), weight);
  std::array<double, kShares.size()> parts{};
  double mean = 0.0, from = 0.0;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const double middle = (from + kShares[i]) / 2.0;
    parts[i] = -std::log1p(-std::pow(middle, 1.0 / tail.of));
    mean += parts[i] * (kShares[i] - from);
    from = kShares[i];
  }
  from = 0.0;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const Seconds one = time + tail.mean * (parts[i] - mean);
    to.add(std::max(Seconds{}, one).in(unit::s), weight * (kShares[i] - from));
    from = kShares[i];
  }
}

}  // namespace stallcast::models
