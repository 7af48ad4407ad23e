#include <catch2/catch.hpp>
#include <cmath>

#include "calibration/fit/observed.hpp"
#include "engine/base/random.hpp"
#include "stallcast/scenario.hpp"

namespace observed_fit_test {

using namespace stallcast;

TEST_CASE("an input that is moved and narrowed a little of each is told by both together") {
  const Scenario scenario = Scenario::read({.file = "s.json", .text = R"({
      "id": "s", "cluster": {"hosts": [{"id": "h", "count": 1, "gpus": 1}]},
      "storage": [{"id": "s", "type": "local", "drive": {"count": 1, "read": "5 GB/s +- 20 %"}}],
      "jobs": [{"id": "j", "hosts": "h", "step": {"compute": "100 ms +- 10 %"}}],
      "run": {"duration": "10 s"}})"});
  REQUIRE(scenario.ok());
  constexpr std::size_t kRows = 128;
  // By 3.5 and 3.4 standard errors of 64 draws; each alone is less than 4.
  const double moved = 3.5 / 8.0, width = 1.0 - 3.4 / std::sqrt(128.0);
  uncertain::Posterior posterior;
  posterior.inputs = uncertain::inputs_of(scenario.design());
  posterior.centre.assign(posterior.inputs.size(), uncertain::kAsStated);
  posterior.effective = kRows;  // 1 / n = 1 / 128 + 1 / 128
  posterior.explained = true;
  posterior.uses = {1.0};
  for (std::size_t row = 0; row < kRows; ++row) {
    const double u = (static_cast<double>(row) + 0.5) / kRows;
    const double z = moved + width * base::normal_quantile(u);
    posterior.points.emplace_back(posterior.inputs.size(), u);
    posterior.points.back().front() = 0.5 * std::erfc(-z / std::sqrt(2.0));
    posterior.varied.push_back(row);
  }
  const CalibrationProfile profile = calibration::profile_of(posterior, scenario.design(), "p");
  const double expected = 64.0 * (moved * moved + width * width - 1.0 - 2.0 * std::log(width));
  CHECK(expected > 22.0);
  const std::size_t first = posterior.inputs.front().places.size();
  REQUIRE(profile.narrowed.size() > first);
  for (std::size_t i = 0; i < profile.narrowed.size(); ++i)
    CHECK(profile.narrowed[i].told == Approx(i < first ? expected : 0.0).margin(0.7));
}

}  // namespace observed_fit_test
