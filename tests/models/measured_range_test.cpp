#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/measured_device.hpp"

namespace measured_range_test {

/// Where measurements end: docs/models/measured.md.
using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

TEST_CASE("measured: what was not measured is said") {
  Design design = device({{"read.law", "fifo"},
                          {"fitted.smallest", "256 KiB"},
                          {"fitted.largest", "1 MiB"},
                          {"fitted.deepest", "4"}});
  JobDesign& job = design.jobs[0];
  job.dataset = component(models::Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "128 KiB"}, {"samples", "100000"}});
  job.loader = component(models::Role::loader, "pytorch", "loader", {{"batch", "4"}});
  const RunResult result = run(design);
  CHECK(result.extrapolated);
  CHECK(result.warnings.size() == 2);  // smaller, and deeper: 32 ranks of 4 workers
  set(design.storage[0], models::Role::storage, "fitted.smallest", "128 KiB");
  set(design.storage[0], models::Role::storage, "fitted.deepest", "128");
  CHECK_FALSE(run(design).extrapolated);
}

TEST_CASE("measured: writes have a range of their own") {
  const auto warned = [](const Fields& settings) {
    const auto context = sim::make_fluid_context();
    models::Plant plant(device(settings));
    plant.attach(*context, 1);
    models::StorageModel& storage = plant.storage("scratch");
    const models::Client client = plant.client("gpu", 0, "scratch", 1.0);
    const auto write = [&]() -> sim::Task<void> {
      co_await storage.write(client, {.bytes = 16_MiB});  // in pieces of 1 MiB
    };
    const Program read = reads(4, 128_KiB);
    context->spawn(write());
    context->spawn(read(storage, client));
    context->run();
    RunResult result;
    storage.remark(result);
    CHECK(result.extrapolated == !result.warnings.empty());
    return result.warnings;
  };
  CHECK(warned({{"fitted.write.smallest", "1 MiB"}, {"fitted.write.largest", "1 MiB"}}).empty());
  CHECK(warned({{"fitted.smallest", "128 KiB"}, {"fitted.largest", "128 KiB"}}).empty());
  const std::vector<std::string> small =
      warned({{"fitted.write.smallest", "2 MiB"}, {"fitted.write.largest", "4 MiB"}});
  REQUIRE(small.size() == 1);
  CHECK_THAT(small.front(), Catch::Contains("writes of 1.05 MB are smaller than the 2.1 MB"));
  const std::vector<std::string> few = warned({{"fitted.write.shallowest", "8"}});
  REQUIRE(few.size() == 1);
  CHECK_THAT(few.front(), Catch::Contains("writes have"));
  CHECK_THAT(few.front(), Catch::Contains("in flight in the mean, fewer than the 8 measured"));
  // In one line both count; a line of their own has the write alone.
  CHECK(warned({{"fitted.write.deepest", "1"}}).size() == 1);
  CHECK(warned({{"fitted.write.deepest", "1"}, {"write.line", "own"}}).empty());
}

TEST_CASE("measured: fewer requests in flight than were measured are said, by their mean") {
  const Design design = device({{"read.latency", "1 ms"}, {"fitted.shallowest", "8"}});
  const auto warned = [&](int clients) {
    const auto context = sim::make_fluid_context();
    models::Plant plant(design);
    plant.attach(*context, 1);
    const models::Client client = plant.client("gpu", 0, "scratch", 1.0);
    // One of them reads nine times as long as the others.
    const Program few = reads(10, 128_KiB), many = reads(90, 128_KiB);
    for (int i = 1; i < clients; ++i) context->spawn(few(plant.storage("scratch"), client));
    if (clients == 8) context->spawn(few(plant.storage("scratch"), client));
    if (clients > 8) context->spawn(many(plant.storage("scratch"), client));
    context->run();
    RunResult result;
    plant.storage("scratch").remark(result);
    CHECK(result.extrapolated == !result.warnings.empty());
    return result.warnings.empty() ? "" : result.warnings.front();
  };
  CHECK(warned(8) == "");
  CHECK_THAT(warned(7), Catch::Contains("fewer than the 8 measured"));
  CHECK_THAT(warned(9), Catch::Contains("fewer than the 8 measured"));
}

}  // namespace measured_range_test
