#include "engine/decide/predict/student.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace student_test {

using stallcast::predict::interval95;
using stallcast::predict::mean;

TEST_CASE("one replica has a mean and no interval") {
  const std::vector<double> one = {0.5};
  CHECK(mean(one) == 0.5);
  CHECK_FALSE(interval95(one).has_value());
}

TEST_CASE("the 95 % interval uses Student's factor of n - 1 degrees of freedom") {
  // Values 1..5: mean 3, s = sqrt(2.5), half width = t(0.975, 4) s / sqrt(5)
  // = 2.776445 * 1.581139 / 2.236068 = 1.963243.
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const auto interval = interval95(values);
  REQUIRE(interval.has_value());
  CHECK(interval->first == Approx(3.0 - 1.963243).epsilon(1e-6));
  CHECK(interval->second == Approx(3.0 + 1.963243).epsilon(1e-6));
}

TEST_CASE("equal replicas have an interval of width zero") {
  const std::vector<double> values = {0.25, 0.25, 0.25};
  CHECK(interval95(values)->first == 0.25);
  CHECK(interval95(values)->second == 0.25);
}

}  // namespace student_test
