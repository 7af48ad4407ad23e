#include "calibration/measure/probes/rested.hpp"

#include <catch2/catch.hpp>

namespace stallcast::calibration {
namespace {

using namespace unit;

TEST_CASE("the knee of a run after a rest is where it falls back to the rate under load") {
  std::vector<probing::IoTally::Mark> marks;
  for (std::uint64_t n = 1; n <= 100; ++n) marks.push_back({n, static_cast<double>(n) * 60e-6});
  for (std::uint64_t n = 101; n <= 200; ++n)
    marks.push_back({n, 0.1 + static_cast<double>(n - 100) * 60e-6});
  const auto knee = probing::knee_of(marks, OpRate::from(1000.0, per_s));
  REQUIRE(knee);
  CHECK(knee->requests == 100.0);
  CHECK(knee->after_s == Approx(0.006));
  CHECK(knee->gap_s == Approx(0.09406));
  // As fast as under load all the time: noise, a slow start, or a single quick request.
  CHECK_FALSE(probing::knee_of(marks, OpRate::from(16000.0, per_s)));
  CHECK_FALSE(probing::knee_of(std::vector<probing::IoTally::Mark>{{1, 1e-5}, {2, 2e-3}},
                               OpRate::from(1000.0, per_s)));
  CHECK_FALSE(probing::knee_of({}, OpRate::from(1000.0, per_s)));
}

}  // namespace
}  // namespace stallcast::calibration
