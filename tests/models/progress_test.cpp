#include <catch2/catch.hpp>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/run/simulate.hpp"
#include "tests/support/designs.hpp"

/// What a simulation tells whoever watches.
namespace progress_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

std::vector<double> told(Design design) {
  set(design.run, Role::run, "fast_forward", "false");
  const auto context = sim::make_fluid_context();
  std::vector<double> out;
  context->on_progress = [&out](double done) { out.push_back(done); };
  (void)models::simulate(design, 1, *context);
  return out;
}

// Steps of 100 ms and nothing else.
Design steps(const char* duration) {
  Design design = small_design();
  set(design.run, Role::run, "duration", duration);
  return design;
}

}  // namespace

TEST_CASE("a run for a given time is done by its date") {
  const std::vector<double> all = told(steps("1.95 s"));
  REQUIRE(all.size() == 20);
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    CHECK(all[i] == Approx(static_cast<double>(i + 1) * 0.1 / 1.95));
  CHECK(all.back() == 1.0);
}

TEST_CASE("a run of some epochs is done by its steps") {
  Design design = steps("1 s");
  design.run.values.erase("duration");
  set(design.jobs[0].job, Role::job, "steps", "5");
  set(design.jobs[0].job, Role::job, "epochs", "2");
  const std::vector<double> all = told(design);
  REQUIRE(all.size() == 10);
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(all[i] == Approx(static_cast<double>(i + 1) / 10.0));
}

TEST_CASE("a job that begins later is done by the time since then") {
  Design design = steps("0.95 s");
  design.stages = {component(Role::stage, "verify", "check",
                             {{"from", "scratch"}, {"hosts", "gpu"}, {"size", "320 GB"}})};
  set(design.jobs[0].job, Role::job, "after", "check");
  const std::vector<double> all = told(design);
  REQUIRE(all.size() == 10);
  CHECK(all.front() == Approx(0.1 / 0.95));
  CHECK(all.back() == 1.0);
}

}  // namespace progress_test
