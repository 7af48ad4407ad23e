#include "models/contract/statistics.hpp"

#include <catch2/catch.hpp>

namespace statistics_test {

using namespace stallcast;
using models::Series;

namespace {

Series series(std::initializer_list<double> values) {
  Series out;
  for (const double value : values) out.add(value);
  return out;
}

}  // namespace

TEST_CASE("the variation of a series does not depend on its unit") {
  // 1/2 and 3/2: a deviation of 1/2 from a mean of 1
  CHECK(series({0.5, 1.5}).variation() == Approx(0.5));
  CHECK(series({50.0, 150.0}).variation() == Approx(0.5));
  CHECK(series({0.0, 0.0}).variation() == 0.0);
}

TEST_CASE("a value of weight n counts as n of them") {
  Series weighted, plain = series({3.0, 1.0, 1.0, 1.0, 8.0, 8.0});
  weighted.add(3.0);
  weighted.add(1.0, 3.0);
  weighted.add(8.0, 2.0);
  CHECK(weighted.mean() == Approx(plain.mean()));
  for (const double q : {0.1, 0.5, 0.6, 0.9, 1.0}) CHECK(weighted.quantile(q) == plain.quantile(q));
}

}  // namespace statistics_test
