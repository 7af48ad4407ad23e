#include "engine/decide/uncertain/known.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/decide/uncertain/particles.hpp"

namespace known_test {

using namespace stallcast;
using namespace stallcast::uncertain;
using Rows = std::vector<std::vector<double>>;

namespace {

/// Quantiles of three inputs, the first two of which have a correlation of `r`.
Rows rows_of(double r, std::size_t n) {
  base::RandomStream random(1, "known_test", "rows", 0);
  Rows out;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    out.push_back(quantiles_of({a, r * a + std::sqrt(1.0 - r * r) * b, c}));
  }
  return out;
}

double correlation(const Rows& rows, std::size_t i, std::size_t j) {
  double both = 0.0, of_i = 0.0, of_j = 0.0;
  for (const std::vector<double>& row : rows) {
    const double a = base::normal_quantile(row[i]), b = base::normal_quantile(row[j]);
    both += a * b, of_i += a * a, of_j += b * b;
  }
  return both / std::sqrt(of_i * of_j);
}

}  // namespace

TEST_CASE("each row that is known has independent coordinates of its own") {
  const Rows rows = rows_of(-0.8, 128);
  const Joint joint(rows);
  for (std::vector<double> row : rows) {
    row.push_back(0.25);  // of an input that is not known
    const std::vector<double> again = joint.inputs_at(joint.independent_of(row));
    REQUIRE(again.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(again[i] == Approx(row[i]).epsilon(1e-9));
  }
}

TEST_CASE("draws of independent coordinates are correlated as the rows are, by chance not at all") {
  const Joint joint(rows_of(-0.8, 128));
  Rows drawn;
  for (const std::vector<double>& point : rows_of(0.0, 4000))
    drawn.push_back(joint.inputs_at(point));
  CHECK(correlation(drawn, 0, 1) == Approx(-0.8).margin(0.1));
  CHECK(std::abs(correlation(drawn, 0, 2)) < 0.05);
  CHECK(std::abs(correlation(drawn, 1, 2)) < 0.05);
  // What 128 rows have of a correlation by chance is none.
  const Joint none(rows_of(0.0, 128));
  const std::vector<double> point{0.1, 0.7, 0.95};
  const std::vector<double> same = none.inputs_at(point);
  for (std::size_t i = 0; i < 3; ++i) CHECK(same[i] == Approx(point[i]));
}

TEST_CASE("an input stays as it is stated where nothing that it goes by moves") {
  const Joint joint(rows_of(0.9, 128));
  CHECK(joint.inputs_at({kAsStated, kAsStated, 0.9, kAsStated})[1] == kAsStated);
  CHECK(joint.inputs_at({0.9, kAsStated, kAsStated, kAsStated})[1] != kAsStated);
  CHECK(joint.inputs_at({0.9, kAsStated, kAsStated, kAsStated})[2] == kAsStated);
}

TEST_CASE("inputs that are one thing twice have correlations of some distribution") {
  Rows rows = rows_of(0.5, 128);
  for (std::vector<double>& row : rows) row[2] = row[0];
  const Joint joint(rows);
  const std::vector<double> at = joint.inputs_at({0.9, 0.5, 0.5});
  CHECK(at[2] == Approx(0.9).margin(0.05));
}

TEST_CASE("a law made of draws has them at their places, and nothing beyond") {
  const Prior prior = prior_of_draws({3.0, 1.0, 2.0, 2.0}, false);
  CHECK(quantile_at(prior, 1.0) == 0.125);
  CHECK(quantile_at(prior, 2.0) == 0.5);
  for (const double x : {1.0, 2.0, 3.0}) CHECK(quantile(prior, quantile_at(prior, x)) == x);
  CHECK(quantile(prior, 0.3125) == Approx(1.5));
  CHECK(quantile(prior, 1e-9) == 1.0);
  CHECK(quantile(prior, 1.0 - 1e-9) == 3.0);
  CHECK(quantile(prior_of_draws({1.0, 4.0}, true), 0.4) == 2.0);  // 1.9
}

}  // namespace known_test
