#include "engine/decide/uncertain/quantiles.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

/// Ends of an interval, of few draws and of many.
namespace quantiles_test {

using namespace stallcast;
using uncertain::end_of;
using uncertain::quantile_of;

namespace {

/// n values of a distribution that is normal on either side of 0, `low` and `high` wide.
std::vector<double> halves(std::size_t n, double low, double high) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    const double score =
        base::normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n));
    out.push_back(score * (score < 0.0 ? low : high));
  }
  return out;
}

}  // namespace

TEST_CASE("of few draws the ends are those of two halves of normal distributions") {
  // The outermost of 8 are at 1.534 standard deviations, and not at 1.645.
  for (const std::size_t n : {8U, 16U, 32U}) {
    const std::vector<double> draws = halves(n, 1.0, 3.0);
    CHECK(end_of(draws, 0.5) == Approx(quantile_of(draws, 0.5)));
    const double middle = quantile_of(draws, 0.5);
    CHECK(middle == Approx(0.5 * (draws[n / 2 - 1] + draws[n / 2])));
    CHECK(end_of(halves(n, 2.0, 2.0), 0.05) == Approx(-2.0 * 1.6449).epsilon(1e-3));
    CHECK(end_of(halves(n, 2.0, 2.0), 0.95) == Approx(2.0 * 1.6449).epsilon(1e-3));
  }
  CHECK(quantile_of(halves(8, 2.0, 2.0), 0.05) == Approx(-2.0 * 1.5341).epsilon(1e-3));
}

TEST_CASE("one draw that lies far out moves the end by less than it moves the outermost quantile") {
  std::vector<double> draws = halves(8, 1.0, 1.0);
  const double before = end_of(draws, 0.95), own = quantile_of(draws, 0.95);
  draws.back() += 1.0;
  CHECK(quantile_of(draws, 0.95) - own == Approx(1.0));
  CHECK(end_of(draws, 0.95) - before < 0.85);
}

TEST_CASE("from 64 draws on the ends are their own quantiles") {
  std::vector<double> draws = halves(64, 1.0, 3.0);
  draws.back() = 100.0;
  for (const double p : {0.05, 0.25, 0.95}) CHECK(end_of(draws, p) == quantile_of(draws, p));
}

TEST_CASE("draws that do not differ have no width") {
  const std::vector<double> draws(8, 4.0);
  CHECK(end_of(draws, 0.05) == 4.0);
  CHECK(end_of(draws, 0.95) == 4.0);
}

}  // namespace quantiles_test
