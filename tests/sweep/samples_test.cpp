#include "engine/decide/sweep/samples.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/base/random.hpp"

namespace samples_test {

using namespace stallcast;
using sweep::Samples;

namespace {

/// Which of `cells` equal intervals each point lies in, in one dimension.
std::multiset<std::size_t> cells_of(const Samples& samples, std::size_t dimension,
                                    std::size_t cells) {
  std::multiset<std::size_t> out;
  for (const auto& point : samples)
    out.insert(static_cast<std::size_t>(point[dimension] * static_cast<double>(cells)));
  return out;
}

bool one_in_each(const std::multiset<std::size_t>& cells, std::size_t count) {
  return cells.size() == count && std::set(cells.begin(), cells.end()).size() == count;
}

/// Squared L2-star discrepancy [T. T. Warnock (1972)]: 3^-d - 2^(1-d)/n sum_i prod_k (1 - x_ik^2)
/// + 1/n^2 sum_ij prod_k (1 - max(x_ik, x_jk)).
double discrepancy(const Samples& x) {
  const auto n = static_cast<double>(x.size());
  const std::size_t d = x.front().size();
  double single = 0.0, pairs = 0.0;
  for (const auto& a : x) {
    double product = 1.0;
    for (const double u : a) product *= 1.0 - u * u;
    single += product;
    for (const auto& b : x) {
      double both = 1.0;
      for (std::size_t k = 0; k < d; ++k) both *= 1.0 - std::max(a[k], b[k]);
      pairs += both;
    }
  }
  const auto dims = static_cast<double>(d);
  return std::pow(3.0, -dims) - std::pow(2.0, 1.0 - dims) / n * single + pairs / (n * n);
}

Samples random_points(std::size_t n, std::size_t d) {
  base::RandomStream random(7, "test", "points");
  Samples out(n, std::vector<double>(d));
  for (auto& point : out)
    for (double& u : point) u = random.uniform();
  return out;
}

}  // namespace

// By hand, from direction numbers v_k = m_k / 2^k in Gray code order x_i = x_(i-1) ^ v_c, c the
// lowest zero bit of i - 1. Dimension 1: m = 1, 1, 1: v = 1/2, 1/4, 1/8. Dimension 2 (degree 1,
// m_1 = 1): m_k = 2 m_(k-1) ^ m_(k-1) = 1, 3, 5: v = 1/2, 3/4, 5/8. Dimension 3 (degree 2, a = 1,
// m = 1, 3): m_3 = 2 m_2 ^ 4 m_1 ^ m_1 = 6 ^ 4 ^ 1 = 3: v = 1/2, 3/4, 3/8.
//   i  c   x1           x2           x3
//   0      0            0            0
//   1  1   1/2          1/2          1/2
//   2  2   3/4          1/4          1/4
//   3  1   1/4          3/4          3/4
//   4  3   3/8          3/8 ^ ...
// x2 at 4: 3/4 = .110 ^ .101 = .011 = 3/8; x3: .110 ^ .011 = .101 = 5/8; x1: .010 ^ .001 = .011 =
// 3/8. At 5 (c 1, ^ 1/2): 7/8, 7/8, 1/8. At 6 (c 2): x1 .111 ^ .010 = 5/8, x2 .111 ^ .110 = 1/8,
// x3 .001 ^ .110 = 7/8. At 7 (c 1): 1/8, 5/8, 3/8. Eight points have cells of 1/8: plus 1/16.
TEST_CASE("the first points of Sobol's sequence are those of its direction numbers") {
  const double expected[8][3] = {{0, 0, 0},
                                 {0.5, 0.5, 0.5},
                                 {0.75, 0.25, 0.25},
                                 {0.25, 0.75, 0.75},
                                 {0.375, 0.375, 0.625},
                                 {0.875, 0.875, 0.125},
                                 {0.625, 0.125, 0.875},
                                 {0.125, 0.625, 0.375}};
  const Samples samples = sweep::sobol(8, 3, 0);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      INFO("point " << i << " dimension " << d);
      CHECK(samples[i][d] == expected[i][d] + 0.0625);
    }
}

// A sequence of direction numbers with odd m_k < 2^k is a (0, m, 1)-net in every dimension.
TEST_CASE("Sobol's sequence has one point in each cell of every dimension, shifted or not") {
  for (const std::uint64_t seed : {0, 1, 99})
    for (const std::size_t n : {2U, 64U, 1024U}) {
      const Samples samples = sweep::sobol(n, sweep::kSobolDimensions, seed);
      for (std::size_t d = 0; d < sweep::kSobolDimensions; ++d) {
        INFO("seed " << seed << " n " << n << " dimension " << d);
        CHECK(one_in_each(cells_of(samples, d, n), n));
      }
    }
}

// The first two dimensions are a (0, m, 2)-net: every box of 2^-a by 2^-b with a + b = m has one.
TEST_CASE("the first two dimensions of Sobol's sequence are even in every box") {
  const Samples samples = sweep::sobol(64, 2, 5);
  for (unsigned a = 0; a <= 6; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (const auto& p : samples)
      boxes.emplace(static_cast<int>(p[0] * (1U << a)), static_cast<int>(p[1] * (1U << (6 - a))));
    CHECK(boxes.size() == 64);
  }
}

TEST_CASE("dimensions of Sobol's sequence differ from each other") {
  const Samples samples = sweep::sobol(256, sweep::kSobolDimensions, 0);
  std::set<std::vector<double>> columns;
  for (std::size_t d = 0; d < sweep::kSobolDimensions; ++d) {
    std::vector<double> column;
    for (const auto& p : samples) column.push_back(p[d]);
    columns.insert(column);
  }
  CHECK(columns.size() == sweep::kSobolDimensions);
}

TEST_CASE("a Latin hypercube has one point in each interval of every dimension") {
  for (const std::size_t n : {1U, 7U, 100U}) {
    const Samples samples = sweep::latin(n, 5, 3);
    for (std::size_t d = 0; d < 5; ++d) CHECK(one_in_each(cells_of(samples, d, n), n));
  }
}

TEST_CASE("samples depend on their seed and on nothing else") {
  CHECK(sweep::latin(20, 3, 1) == sweep::latin(20, 3, 1));
  CHECK(sweep::latin(20, 3, 1) != sweep::latin(20, 3, 2));
  CHECK(sweep::sobol(20, 3, 1) == sweep::sobol(20, 3, 1));
  CHECK(sweep::sobol(20, 3, 1) != sweep::sobol(20, 3, 2));
}

// Random points have an expected squared discrepancy of (2^-d - 3^-d) / n.
TEST_CASE("samples are more even than random points") {
  const double random = discrepancy(random_points(128, 3));
  const double expected = (1.0 / 8.0 - 1.0 / 27.0) / 128.0;
  CHECK(random > 0.2 * expected);
  CHECK(random < 5.0 * expected);
  CHECK(discrepancy(sweep::sobol(128, 3, 0)) < 0.1 * expected);
  CHECK(discrepancy(sweep::latin(128, 3, 1)) < 0.5 * expected);
}

}  // namespace samples_test
