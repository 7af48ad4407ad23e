#include "models/tenant/answers.hpp"

#include <array>
#include <cmath>

#include "engine/base/random.hpp"

namespace stallcast::models {
namespace {

// Parts of all requests, from the quickest to the slowest, end at these shares of them; the
// quantiles that are reported are in the middle of theirs.
constexpr std::array kShares{0.1,  0.3,  0.45,  0.55,  0.7,   0.8, 0.9,
                             0.94, 0.96, 0.985, 0.995, 0.999, 1.0};

// What the slowest of k takes at most with probability u: exponential -m ln(1 - u^(1/k)).
double slowest(double u, Tail tail) {
  // Few have it, the mean of all is 1.
  if (tail.chance < 1.0)
    return u <= 1.0 - tail.chance ? 0.0 : -std::log((1.0 - u) / tail.chance) / tail.chance;
  const double of_each = std::pow(u, 1.0 / tail.of);
  return tail.sigma > 0.0 ? std::exp(tail.sigma * base::normal_quantile(of_each))
                          : -std::log1p(-of_each);
}

}  // namespace

void add_spread(Seconds time, double weight, Tail tail, Series& to) {
  if (tail.mean <= Seconds{}) return to.add(time.in(unit::s), weight);
  std::array<double, kShares.size()> parts{};
  double mean = 0.0, from = 0.0;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    parts[i] = slowest((from + kShares[i]) / 2.0, tail);
    mean += parts[i] * (kShares[i] - from);
    from = kShares[i];
  }
  // Lognormal times are known by the mean of all, of which each is some part.
  const Seconds unit_of = tail.sigma > 0.0 ? tail.mean / mean : tail.mean;
  from = 0.0;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const Seconds one = time + unit_of * (parts[i] - mean);
    to.add(std::max(Seconds{}, one).in(unit::s), weight * (kShares[i] - from));
    from = kShares[i];
  }
}

}  // namespace stallcast::models
