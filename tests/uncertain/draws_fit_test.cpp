#include <catch2/catch.hpp>
#include <string>

#include "engine/base/design_values.hpp"
#include "engine/decide/predict/predict.hpp"
#include "engine/decide/uncertain/draws.hpp"
#include "tests/support/designs.hpp"

/// How many draws a second of two cores allows.
namespace draws_fit_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("a design of many values has as many draws as can be handed over in a second", "[unit]") {
  Design design = small_design();
  Prediction nominal;
  nominal.seeds = {1};
  nominal.events = 1000;
  CHECK(uncertain::draws_of_a_run(design, nominal) == 64);
  // 6.4 million events in all, 20 for each value: 64 draws of 5,000 values, a quarter of 20,000.
  const JobDesign job = design.jobs[0];
  while (base::values_of(design).size() <= 17'000) {
    design.jobs.push_back(job);
    design.jobs.back().job.id = "job" + std::to_string(design.jobs.size());
  }
  CHECK(predict::events_of(design, 1000.0) ==
        20.0 * static_cast<double>(base::values_of(design).size()));
  CHECK(predict::events_of(design, 1e7) == 1e7);
  CHECK(uncertain::draws_of_a_run(design, nominal) == 16);
}

}  // namespace draws_fit_test
