#include "models/contract/core_meter.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "models/contract/presumption.hpp"
#include "tests/support/designs.hpp"

namespace core_meter_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::CoreMeter;
using models::Moves;
using models::Role;

namespace {

/// Whether 10 cores are enough for what `what` does with the meter.
bool enough(const std::function<sim::Task<void>(sim::Context&, CoreMeter&)>& what) {
  const auto context = sim::make_fluid_context();
  CoreMeter meter(*context, 10.0);
  context->spawn(what(*context, meter));
  try {
    context->run();
  } catch (const models::Refuted&) {
    return false;
  }
  return true;
}

sim::Task<void> two_takings(sim::Context& context, CoreMeter& meter, Seconds apart, double second) {
  meter.take(1_s, 6.0);
  co_await context.sleep(apart);
  meter.take(1_s, second);
}

sim::Task<void> moving(sim::Context& context, CoreMeter& meter, double processes, bool ends) {
  // Two reads that could keep 20 cores busy, of which ports allow 7; then a save.
  meter.begin(Moves::read, 10.0, 7.0);
  meter.begin(Moves::read, 10.0, 7.0);
  meter.take(1_s, processes);
  co_await context.sleep(500_ms);
  if (ends) {
    meter.end(Moves::read, 10.0, 1_s);
    meter.end(Moves::read, 10.0, 1_s);
  }
  meter.begin(Moves::write, 5.0, 7.0);
}

/// One host whose 8 workers and rank are no more than its `cores`, but the threads of its NFS
/// client may be.
Design host_of(const char* cores) {
  Design design = small_design();
  design.hosts[0] =
      component(Role::host, "host", "gpu",
                {{"count", "1"}, {"gpus", "1"}, {"cpu.cores", cores}, {"nic.rate", "400 Gb/s"}});
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "16 MiB"}, {"samples", "1000000"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "4"}, {"workers", "8"}});
  // Saves that do not come about: threads of theirs might be busy, and are not.
  job.checkpoint =
      component(Role::checkpoint, "async", "checkpoint", {{"to", "scratch"}, {"every", "10 min"}});
  set(design.run, Role::run, "duration", "20 s");
  return design;
}

}  // namespace

TEST_CASE("core meter: cores are busy as long as they were taken") {
  const auto takings = [](Seconds apart, double second) {
    return enough([=](sim::Context& context, CoreMeter& meter) {
      return two_takings(context, meter, apart, second);
    });
  };
  CHECK(takings(500_ms, 4.0));
  CHECK_FALSE(takings(500_ms, 4.5));
  CHECK(takings(1_s, 10.0));
  CHECK_FALSE(takings(1_s, 10.5));
}

TEST_CASE("core meter: core time is counted as it passes") {
  const auto context = sim::make_fluid_context();
  CoreMeter meter(*context, 10.0);
  std::vector<std::pair<double, double>> seen;  // core time and how long any core was busy
  const auto look = [&] {
    seen.emplace_back(meter.carried().in(unit::s), meter.active().in(unit::s));
  };
  const auto program = [&]() -> sim::Task<void> {
    meter.take(2_s, 3.0);
    co_await context->sleep(1_s);
    look();
    meter.take(4_s, 1.0);
    co_await context->sleep(2_s);
    look();
    co_await context->sleep(7_s);
    look();
    meter.take(1_s, 2.0);
    meter.end(Moves::read, 0.0, 5_s);
    co_await context->sleep(1_s);
    look();
  };
  context->spawn(program());
  context->run();
  const std::vector<std::pair<double, double>> expected{{3, 1}, {8, 3}, {10, 5}, {17, 6}};
  REQUIRE(seen.size() == expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    INFO(i);
    CHECK(seen[i].first == Approx(expected[i].first));
    CHECK(seen[i].second == Approx(expected[i].second));
  }
}

TEST_CASE("core meter: threads beside the processes are no more than ports bring work for") {
  const auto moves = [](double processes, bool ends) {
    return enough([=](sim::Context& context, CoreMeter& meter) {
      return moving(context, meter, processes, ends);
    });
  };
  CHECK_FALSE(moves(4.0, true));   // 7 of the reads and these
  CHECK(moves(3.0, true));         // 7 + 3, then 3 + 5 of the save
  CHECK_FALSE(moves(3.0, false));  // 7 + 3 + 5
}

TEST_CASE("core meter: counted cores give what shared ones give, in fewer events") {
  const Design design = host_of("25");
  const RunResult shared = run(design);
  const RunResult counted = run(design, 1, {.cores_suffice = true});
  CHECK(10 * counted.events < 9 * shared.events);
  REQUIRE(counted.metrics.size() == shared.metrics.size());
  for (const char* name : {"job.train.step.time", "job.train.first_batch",
                           "job.train.gpu.utilization", "job.train.throughput.bytes"}) {
    INFO(name);
    CHECK(metric(counted, name) == Approx(metric(shared, name)).epsilon(1e-6));
  }
}

TEST_CASE("core meter: a simulation in which a core is waited for ends") {
  CHECK_THROWS_AS(run(host_of("12"), 1, {.cores_suffice = true}), models::Refuted);
  CHECK_NOTHROW(run(host_of("12")));
}

}  // namespace core_meter_test
