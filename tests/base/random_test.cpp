#include "engine/base/random.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace stallcast::base {
namespace {

struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
};

template <class Draw>
Moments moments(int count, Draw draw) {
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

constexpr int kDraws = 200000;
// Standard error of a mean of kDraws numbers of deviation 1 is 0.0022; 5 of them.
constexpr double kMargin = 0.0112;

}  // namespace

TEST_CASE("the quantile of the normal distribution matches published values") {
  // Computed with an independent implementation of Wichura's AS 241.
  const std::vector<std::array<double, 2>> rows = {
      {0.5, 0.0},
      {0.841344746068543, 1.0},
      {0.975, 1.959963984540054},
      {0.99, 2.326347874040841},
      {0.999, 3.090232306167814},
      {0.01, -2.326347874040841},
      {0.3, -0.524400512708041},
      {0.02425, -1.972961051311885},
      {1e-10, -6.361340902404056},
  };
  for (const auto& [p, x] : rows) {
    CAPTURE(p);
    CHECK(std::abs(normal_quantile(p) - x) < 1e-9);
  }
}

TEST_CASE("the quantile inverts the distribution function everywhere") {
  for (double x = -8.0; x <= 8.0; x += 0.01) {
    const double p = std::erfc(-x / std::sqrt(2.0)) / 2.0;
    // Towards 1 a double cannot hold p finely enough to get x back to 1e-9.
    if (x < 4.5) CHECK(std::abs(normal_quantile(p) - x) < 1e-9);
  }
  CHECK(std::isfinite(normal_quantile(5e-324)));
  CHECK(std::isfinite(normal_quantile(1.0 - 0x1p-53)));
}

TEST_CASE("uniform, normal and lognormal draws have their moments") {
  RandomStream stream(1, "test", "moments");
  // Uniform: mean 1/2, deviation 1/sqrt(12).
  const Moments uniform = moments(kDraws, [&] { return stream.uniform(); });
  CHECK(std::abs(uniform.mean - 0.5) < kMargin);
  CHECK(std::abs(uniform.deviation - 1.0 / std::sqrt(12.0)) < kMargin);
  const Moments normal = moments(kDraws, [&] { return stream.normal(); });
  CHECK(std::abs(normal.mean) < kMargin);
  CHECK(std::abs(normal.deviation - 1.0) < kMargin);
  const Moments lognormal = moments(kDraws, [&] { return stream.lognormal(4.0, 0.5); });
  CHECK(std::abs(lognormal.mean / 4.0 - 1.0) < kMargin);
  CHECK(std::abs(lognormal.deviation / lognormal.mean - 0.5) < 2 * kMargin);
}

TEST_CASE("one draw of the maximum is distributed as the largest of so many draws") {
  RandomStream one(3, "test", "maximum"), many(3, "test", "draws");
  constexpr int kOf = 16, kTrials = 40000;
  const Moments direct = moments(kTrials, [&] {
    double largest = 0.0;
    for (int i = 0; i < kOf; ++i) largest = std::max(largest, many.lognormal(1.0, 0.2));
    return largest;
  });
  const Moments quick = moments(kTrials, [&] { return one.lognormal_max(1.0, 0.2, kOf); });
  CHECK(quick.mean == Approx(direct.mean).epsilon(0.005));
  CHECK(quick.deviation == Approx(direct.deviation).epsilon(0.03));
}

TEST_CASE("the maximum grows with the number of draws, also for a million") {
  double before = 0.0;
  for (const double count : {1.0, 1.5, 2.0, 100.0, 1e6}) {
    RandomStream stream(1, "a", "b");
    const double now = stream.lognormal_max(1.0, 0.1, count);
    CHECK(now > before);
    CHECK(std::isfinite(now));
    before = now;
  }
}

TEST_CASE("without variation there is only the mean, and the stream still moves on") {
  RandomStream a(1, "a", "b"), b(1, "a", "b");
  CHECK(a.lognormal(3.0, 0.0) == 3.0);
  CHECK(a.lognormal_max(0.0, 0.5, 8.0) == 0.0);
  b.lognormal(3.0, 0.5);
  b.lognormal(3.0, 0.5);
  CHECK(a.uniform() == b.uniform());
}

TEST_CASE("whole numbers below a limit are equally frequent") {
  RandomStream stream(5, "test", "below");
  std::array<int, 6> hits{};
  constexpr int kEach = 20000;
  for (int i = 0; i < 6 * kEach; ++i) ++hits.at(stream.below(6));
  // Deviation of a count is sqrt(n p q) = 129; 5 of them.
  for (const int n : hits) CHECK(std::abs(n - kEach) < 645);
  CHECK(stream.below(1) == 0);
}

TEST_CASE("streams differ in each of their names and repeat for the same ones") {
  const auto first = [](std::uint64_t seed, const char* element, const char* purpose,
                        std::uint64_t index) {
    return RandomStream(seed, element, purpose, index).uniform();
  };
  std::vector<double> draws = {first(1, "ab", "c", 0), first(2, "ab", "c", 0),
                               first(1, "a", "bc", 0), first(1, "ab", "d", 0),
                               first(1, "ab", "c", 1), first(1, "", "abc", 0)};
  CHECK(first(1, "ab", "c", 0) == draws[0]);
  std::sort(draws.begin(), draws.end());
  CHECK(std::adjacent_find(draws.begin(), draws.end()) == draws.end());
}

// Computed by an independent implementation in Python.
TEST_CASE("the numbers of a stream never change: every golden file depends on them") {
  RandomStream stream(42, "storage.scratch", "service", 7);
  CHECK(stream.below(1000000000) == 701399043);
  CHECK(stream.uniform() == 0.37672957115232464);
  CHECK(stream.normal() == Approx(1.1064925245236241).epsilon(1e-12));
  CHECK(stream.lognormal(2.0, 0.3) == Approx(1.5976011650164135).epsilon(1e-12));
}

}  // namespace stallcast::base
