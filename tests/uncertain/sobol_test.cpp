#include "engine/decide/uncertain/sobol.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <utility>

namespace sobol_test {

using stallcast::uncertain::scrambled_sobol;

namespace {

std::size_t cell(double x, std::size_t cells) {
  return static_cast<std::size_t>(x * static_cast<double>(cells));
}

}  // namespace

TEST_CASE("The same seed gives the same points on every machine") {
  constexpr std::array<std::array<std::uint32_t, 3>, 4> kFirst{
      {{0x323AD47BU, 0xBD81EB32U, 0x751A7804U},
       {0xF685E3A1U, 0x3447DD54U, 0xB09EBD2CU},
       {0xA546B223U, 0xF62B2A6CU, 0x2861996DU},
       {0x5C7EB56EU, 0x70C0C72BU, 0xDFAAC895U}}};
  const auto points = scrambled_sobol(4, 3, 1);
  REQUIRE(points.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      CHECK(points[i][d] == (static_cast<double>(kFirst[i][d]) + 0.5) * 0x1p-32);
}

TEST_CASE("More points and more dimensions keep those there were") {
  const auto all = scrambled_sobol(300, 40, 7);
  for (const std::size_t n : {0U, 1U, 2U, 3U, 64U, 200U})
    for (const std::size_t dims : {0U, 1U, 5U, 40U}) {
      const auto some = scrambled_sobol(n, dims, 7);
      REQUIRE(some.size() == n);
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(some[i].size() == dims);
        CHECK(std::equal(some[i].begin(), some[i].end(), all[i].begin()));
      }
    }
  CHECK(scrambled_sobol(8, 2, 7) != scrambled_sobol(8, 2, 8));
}

TEST_CASE("Along every dimension each of 2^k points has a cell to itself") {
  const std::size_t dims = 100;
  const auto points = scrambled_sobol(1024, dims, 3);
  for (std::size_t n = 1; n <= 1024; n *= 2)
    for (std::size_t d = 0; d < dims; ++d) {
      std::set<std::size_t> met;
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(points[i][d] > 0.0);
        REQUIRE(points[i][d] < 1.0);
        met.insert(cell(points[i][d], n));
      }
      CHECK(met.size() == n);
    }
}

// The first two dimensions are a (0, 2)-sequence: 2^k points meet each box of 2^-a by 2^-(k-a)
// once.
TEST_CASE("Scrambling keeps the even cover of the plane") {
  const std::size_t n = 256;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto points = scrambled_sobol(n, 2, seed);
    for (std::size_t columns = 1; columns <= n; columns *= 2) {
      std::set<std::pair<std::size_t, std::size_t>> met;
      for (const auto& p : points) met.emplace(cell(p[0], columns), cell(p[1], n / columns));
      CHECK(met.size() == n);
    }
  }
}

// Scrambling swaps the halves or not, then the halves of each half: 8 ways, by the quarters of the
// first four points. Of 8000 seeds each gets 1000, give or take 5 * sqrt(8000 * 1/8 * 7/8) = 148.
TEST_CASE("Halves of halves are swapped independently") {
  std::array<int, 8> seen{};
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    const auto points = scrambled_sobol(4, 1, seed);
    // Unscrambled, the points lie in quarters 0, 2, 3, 1.
    const std::size_t low = cell(points[0][0], 4);
    const std::size_t high = cell(points[1][0], 4);
    ++seen[(low / 2) * 4 + (low % 2) * 2 + high % 2];
  }
  for (const int count : seen) CHECK(std::abs(count - 1000) < 148);
}

// The product of 1 + (x_d - 1/2) over 10 dimensions has the mean 1 and the variance
// (1 + 1/12)^10 - 1 = 1.226: the mean of 1024 independent points errs by 0.0346.
TEST_CASE("Means over the points err by less than a fifth of means over independent ones") {
  const std::size_t n = 1024;
  double squares = 0.0;
  double errors = 0.0;
  const int seeds = 40;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    double sum = 0.0;
    for (const auto& p : scrambled_sobol(n, 10, seed)) {
      double product = 1.0;
      for (const double x : p) product *= 0.5 + x;
      sum += product;
    }
    const double error = sum / static_cast<double>(n) - 1.0;
    errors += error;
    squares += error * error;
  }
  const double independent = std::sqrt((std::pow(13.0 / 12.0, 10) - 1.0) / static_cast<double>(n));
  const double root = std::sqrt(squares / seeds);
  CHECK(root < independent / 5.0);
  // No bias: the mean of the errors is within three of its own standard errors.
  CHECK(std::abs(errors / seeds) < 3.0 * root / std::sqrt(seeds));
}

}  // namespace sobol_test
