#include <catch2/catch.hpp>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "models/run/simulate.hpp"
#include "tests/support/designs.hpp"

namespace folding_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double metric(const Design& design, const std::string& name) {
  const auto context = sim::make_fluid_context();
  return models::simulate(design, 1, *context).metrics.at(name).value;
}

// 32 ranks that together demand 41.6 GB/s of 32 GB/s.
Design loaded(const char* stdev, const char* detail) {
  Design design = small_design();
  design.jobs[0].dataset = component(
      Role::dataset, "raw", "dataset",
      {{"on", "scratch"}, {"sample", "130 MB"}, {"sample_stdev", stdev}, {"samples", "1000000"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}});
  set(design.run, Role::run, "detail", detail);
  return design;
}

}  // namespace

TEST_CASE("equal samples fold into one class") {
  CHECK(models::Plant(loaded("0 B", "16")).layout("train").classes() == 1);
  CHECK(models::Plant(loaded("30 MB", "16")).layout("train").classes() == 16);
  CHECK(models::Plant(loaded("30 MB", "32")).layout("train").classes() == 32);
}

TEST_CASE("a folded class is exact while its members act alike") {
  // Sizes that differ by one part in 1e12 are simulated rank by rank, and give the same step times.
  const auto step_time = [](const char* stdev, bool queue) {
    Design design = loaded(stdev, "32");
    if (!queue) {
      set(design.storage[0], Role::storage, "mdt.service", "1 ns");
      set(design.storage[0], Role::storage, "mdt.open", "1000000 Mops/s");
    }
    return metric(design, "job.train.step.time");
  };
  CHECK(step_time("0.0001 B", false) == Approx(step_time("0 B", false)).epsilon(1e-9));
  // In the line of the MDS members are served one by one while a class waits for its last: 0.4 %
  // here.
  CHECK(step_time("0.0001 B", true) == Approx(step_time("0 B", true)).epsilon(0.01));
}

TEST_CASE("half the classes change the utilization of varied ranks by under three percent") {
  // measured 2026-11: see docs/models/folding.md
  const double all = metric(loaded("30 MB", "32"), "job.train.gpu.utilization");
  const double half = metric(loaded("30 MB", "16"), "job.train.gpu.utilization");
  CHECK(half == Approx(all).epsilon(0.03));
}

}  // namespace folding_test
