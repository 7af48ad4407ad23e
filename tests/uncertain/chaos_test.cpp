#include "engine/decide/uncertain/chaos.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/sobol.hpp"

namespace chaos_test {

using namespace stallcast;
using uncertain::Shares;
using uncertain::variance_shares;
using Vector = std::vector<double>;

namespace {

std::vector<Vector> scores(std::size_t n, std::size_t inputs, std::uint64_t seed) {
  std::vector<Vector> out = uncertain::scrambled_sobol(n, inputs, seed);
  for (Vector& row : out)
    for (double& x : row) x = base::normal_quantile(x);
  return out;
}

Shares shares_of(const std::vector<Vector>& z, const std::function<double(const Vector&)>& f) {
  Vector y;
  for (const Vector& row : z) y.push_back(f(row));
  const Shares shares = variance_shares(z, y);
  REQUIRE(shares.first.size() == z[0].size());
  REQUIRE(shares.total.size() == z[0].size());
  CHECK(std::accumulate(shares.first.begin(), shares.first.end(), 0.0) <= shares.explained + 1e-12);
  for (std::size_t i = 0; i < shares.first.size(); ++i) {
    CHECK(shares.first[i] >= 0.0);
    CHECK(shares.first[i] <= shares.total[i] + 1e-12);
    CHECK(shares.total[i] <= shares.explained + 1e-12);
  }
  return shares;
}

Vector noise(std::size_t n, std::uint64_t seed) {
  base::RandomStream random(seed, "outcome", "noise");
  Vector out(n);
  for (double& y : out) y = random.normal();
  return out;
}

bool nothing(const Shares& shares) {
  const auto zero = [](double x) { return x == 0.0; };
  return shares.explained == 0.0 && std::all_of(shares.first.begin(), shares.first.end(), zero) &&
         std::all_of(shares.total.begin(), shares.total.end(), zero);
}

}  // namespace

// The variance of a sum is the sum of the variances: 9 : 4 : 1 of 14.
TEST_CASE("Inputs of a sum get the squares of their factors") {
  for (const std::size_t n : {64U, 256U}) {
    const Shares shares = shares_of(
        scores(n, 20, 1), [](const Vector& z) { return 100.0 + 3.0 * z[2] - 2.0 * z[11] + z[19]; });
    CHECK(shares.explained == Approx(1.0).margin(1e-6));
    for (std::size_t i = 0; i < 20; ++i) {
      const double expected = i == 2 ? 9.0 / 14 : i == 11 ? 4.0 / 14 : i == 19 ? 1.0 / 14 : 0.0;
      CHECK(shares.first[i] == Approx(expected).margin(1e-6));
      CHECK(shares.total[i] == Approx(expected).margin(1e-6));
    }
  }
}

// Terms are orthogonal: of 1 + 0.49 + 0.25 + 0.36 = 2.1 the first input alone has 1.25, the second
// 0.49, and both together 0.36.
TEST_CASE("What inputs do together counts in the total of each") {
  for (const std::size_t n : {64U, 256U}) {
    const Shares shares = shares_of(scores(n, 12, 2), [](const Vector& z) {
      return z[3] + 0.7 * z[8] + 0.5 * (z[3] * z[3] - 1.0) / std::numbers::sqrt2 +
             0.6 * z[3] * z[8];
    });
    CHECK(shares.explained == Approx(1.0).margin(1e-6));
    CHECK(shares.first[3] == Approx(1.25 / 2.1).margin(1e-6));
    CHECK(shares.first[8] == Approx(0.49 / 2.1).margin(1e-6));
    CHECK(shares.total[3] == Approx(1.61 / 2.1).margin(1e-6));
    CHECK(shares.total[8] == Approx(0.85 / 2.1).margin(1e-6));
    CHECK(shares.total[0] == 0.0);
  }
}

// y = exp(sum a_i z_i), with s = sum a_i^2, has the variance e^s (e^s - 1). Alone an input has
// (e^(a_i^2) - 1) / (e^s - 1) of it; all but that one have (e^(s - a_i^2) - 1) / (e^s - 1).
TEST_CASE("Shares of a product of lognormal inputs are near those of the closed form") {
  constexpr std::array<double, 3> kFactor{0.5, 0.4, 0.3};
  const double whole = std::expm1(0.5);
  for (const std::size_t n : {64U, 256U}) {
    const double margin = n == 64 ? 0.10 : 0.05;
    const Shares shares = shares_of(scores(n, 10, 3), [&](const Vector& z) {
      return std::exp(kFactor[0] * z[0] + kFactor[1] * z[1] + kFactor[2] * z[2]);
    });
    CHECK(shares.explained > 0.85);
    for (std::size_t i = 0; i < 3; ++i) {
      const double square = kFactor[i] * kFactor[i];
      CHECK(shares.first[i] == Approx(std::expm1(square) / whole).margin(margin));
      CHECK(shares.total[i] == Approx(1.0 - std::expm1(0.5 - square) / whole).margin(margin));
    }
    for (std::size_t i = 3; i < 10; ++i) CHECK(shares.total[i] < 0.02);
  }
}

// Of the variance of z + e, with e of variance 1, half is explained.
TEST_CASE("What no input explains stays unexplained") {
  const std::vector<Vector> z = scores(256, 30, 4);
  const Vector e = noise(256, 4);
  std::size_t row = 0;
  const Shares shares = shares_of(z, [&](const Vector& x) { return x[5] + e[row++]; });
  CHECK(shares.explained == Approx(0.5).margin(0.1));
  CHECK(shares.first[5] == Approx(0.5).margin(0.1));
}

TEST_CASE("The one of 60 inputs that decides is found from 32 outcomes") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Vector> z = scores(32, 60, seed);
    const std::size_t decides = (7 * seed + 3) % 60;
    const Vector e = noise(32, seed);
    std::size_t row = 0;
    const Shares linear =
        shares_of(z, [&](const Vector& x) { return x[decides] + 0.1 * e[row++]; });
    CHECK(linear.first[decides] > 0.8);
    const Shares curved = shares_of(z, [&](const Vector& x) { return std::exp(0.5 * x[decides]); });
    CHECK(curved.first[decides] > 0.8);
  }
}

TEST_CASE("Outcomes by chance are owed to no input") {
  for (const std::size_t n : {32U, 64U, 256U}) {
    int explained = 0;
    int none = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Shares shares = variance_shares(scores(n, 60, seed), noise(n, seed));
      if (shares.explained >= 0.3) ++explained;
      if (nothing(shares)) ++none;
    }
    INFO("n = " + std::to_string(n));
    CHECK(explained <= 5);
    CHECK(none >= 75);
  }
}

// A fifth of the variance is owed to nothing that is known; none of 66 inputs gets a part of it.
TEST_CASE("An input without effect has no share beside those that have one") {
  for (const std::size_t n : {64U, 128U})
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const std::vector<Vector> z = scores(n, 68, seed);
      Vector y = noise(n, seed);
      for (std::size_t row = 0; row < n; ++row) y[row] += 1.8 * z[row][3] + 0.9 * z[row][7];
      const Shares shares = variance_shares(z, y);
      CAPTURE(n, seed);
      CHECK(shares.total[3] > 0.4);
      for (std::size_t i = 0; i < 68; ++i)
        if (i != 3 && i != 7) CHECK(shares.total[i] < 0.02);
    }
}

TEST_CASE("Outcomes that do not differ are owed to no input") {
  const std::vector<Vector> z = scores(32, 5, 5);
  CHECK(nothing(variance_shares(z, Vector(32, 42.0))));
  CHECK(nothing(variance_shares(z, Vector(32, 0.0))));
  Vector rounded(32, 0.1);
  rounded[3] = std::nextafter(0.1, 1.0);
  CHECK(nothing(variance_shares(z, rounded)));
}

TEST_CASE("Too few outcomes, and inputs that do not differ, say nothing") {
  CHECK(variance_shares({}, {}).first.empty());
  CHECK(nothing(variance_shares(scores(4, 3, 1), Vector{1.0, 2.0, 3.0, 4.0})));
  CHECK(nothing(variance_shares(std::vector<Vector>(16, Vector(3, 0.5)), noise(16, 1))));
  CHECK(variance_shares(std::vector<Vector>(16, Vector{}), noise(16, 1)).explained == 0.0);
}

TEST_CASE("Of two inputs that are the same one is named") {
  std::vector<Vector> z = scores(64, 4, 6);
  for (Vector& row : z) row[2] = row[1];
  const Shares shares = shares_of(z, [](const Vector& x) { return x[1] + 0.5 * x[3]; });
  CHECK(shares.first[1] == Approx(0.8).margin(1e-6));
  CHECK(shares.first[2] == 0.0);
  CHECK(shares.first[3] == Approx(0.2).margin(1e-6));
}

TEST_CASE("Shares do not depend on the unit of the outcome") {
  const std::vector<Vector> z = scores(64, 10, 7);
  const auto f = [](const Vector& x) { return std::exp(0.4 * x[1]) + 0.5 * x[2]; };
  const Shares one = shares_of(z, f);
  const Shares large = shares_of(z, [&](const Vector& x) { return 1e9 * f(x) - 3e8; });
  CHECK(one.explained == Approx(large.explained));
  for (std::size_t i = 0; i < 10; ++i) CHECK(one.total[i] == Approx(large.total[i]).margin(1e-9));
}

}  // namespace chaos_test
