#include "calibration/observed_job/first_batch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace first_batch_test {

using namespace stallcast;
using namespace stallcast::calibration;

TEST_CASE("a first batch that was seen once and what else is known count by their precision") {
  // Apart by 0.2 in the logarithm, less than 0.3 and 0.4 explain: weights 1 / 0.09 and 1 / 0.16.
  const KnownTime both = combined({0.050 * std::exp(0.2), 0.3}, {0.050, 0.4});
  CHECK(std::log(both.value / 0.050) == Approx(0.2 * 0.16 / 0.25));
  CHECK(both.spread == Approx(0.3 * 0.4 / 0.5));
}

TEST_CASE("a first batch that is far from what is known has something of its own") {
  const KnownTime both = combined({5.0, 0.25}, {0.05, 0.25});
  CHECK(both.value == Approx(5.0).epsilon(0.02));
  CHECK(both.spread == Approx(0.25).epsilon(0.01));
}

TEST_CASE("a time that is not known says nothing") {
  CHECK(combined({0.05, 0.25}, {0.0, 0.7}).value == 0.05);
  CHECK(combined({0.0, 0.25}, {0.04, 0.7}).value == 0.04);
}

TEST_CASE("what starting a worker takes is that of the probe, else the loader's default") {
  CHECK(start_costs(nullptr).start.in(unit::ms) == Approx(17.0));
  CalibrationProfile profile;
  profile.values.push_back({.role = "loader",
                            .kind = "pytorch",
                            .field = "start",
                            .text = {},
                            .value = 0.008,
                            .low = 0.007,
                            .high = 0.010,
                            .fit = {},
                            .draws = {}});
  profile.values.push_back({.role = "loader",
                            .kind = "pytorch",
                            .field = "boot",
                            .text = {},
                            .value = 0.006,
                            .low = 0.005,
                            .high = 0.007,
                            .fit = {},
                            .draws = {}});
  const StartCosts known = start_costs(&profile);
  CHECK(known.start.in(unit::ms) == Approx(8.0));
  CHECK(known.boot.in(unit::ms) == Approx(6.0));
  CHECK(known.spread < start_costs(nullptr).spread);
}

}  // namespace first_batch_test
