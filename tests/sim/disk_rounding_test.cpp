// Why operations and bytes of a disk run over links: SimGrid rounds the progress of a Disk to whole
// units at every event of the whole simulation.
#include <xbt/log.h>
#include <catch2/catch.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "engine/sim/simgrid_context.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/programs.hpp"

namespace disk_rounding_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::tests;

namespace {

namespace s4u = simgrid::s4u;

constexpr double kTick = 0.0004;  // of the unrelated events; 0.4 of an operation
constexpr double kOps = 100.0;    // at 1000 per second: 0.1 s

void tick() {
  simgrid::kernel::timer::Timer::set(s4u::Engine::get_clock() + kTick, [] { tick(); });
}

double ops_left_on_a_disk() {
  xbt_log_control_set("root.thres:critical");
  s4u::Engine engine("disk");
  auto* const zone = s4u::create_full_zone("zone");
  auto* const host = zone->create_host("host", 1.0);
  auto* const disk = host->create_disk("disk", 1000.0, 1000.0);
  zone->seal();
  const s4u::IoPtr io = s4u::Io::init();
  io->set_disk(disk)->set_size(static_cast<sg_size_t>(kOps))->set_op_type(s4u::Io::OpType::READ);
  io->start();
  tick();
  engine.run_until(1.0);
  const double left = io->get_remaining();
  return left;
}

}  // namespace

TEST_CASE("a SimGrid disk with an unrelated event every 0.4 operations never gets on") {
  const std::vector<double> left = in_child([] { return std::vector{ops_left_on_a_disk()}; });
  CHECK(left[0] == kOps);  // after 1 s, ten times what it needs
}

TEST_CASE("a link with the same events takes the time it should") {
  const std::vector<double> got = in_child([] {
    const auto context = sim::make_simgrid_context(sim::FlowBackend::comm);
    const sim::LinkId disk = context->add_link("disk", bps(1000.0));
    sim::FlowOutcome outcome;
    context->spawn(run_transfer(*context, {.path = {disk}, .bytes = b(kOps)}, outcome));
    context->spawn([](sim::Context& c) -> sim::Task<void> {
      for (int i = 0; i < 2500; ++i) co_await c.sleep(s(kTick));
    }(*context));
    context->run();
    return std::vector{outcome.ended.in(unit::s)};
  });
  CHECK(got[0] == Approx(0.1).epsilon(1e-9));
}

}  // namespace disk_rounding_test
