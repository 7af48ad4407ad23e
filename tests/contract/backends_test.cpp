#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/simgrid_context.hpp"
#include "models/run/simulate.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/sim/forked.hpp"
#include "tests/support/designs.hpp"

namespace backends_test {

/// SimGrid's own transfers are the reference; our solver, inside SimGrid and without it, must
/// agree.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

std::vector<double> figures(const Design& design, sim::Context& context) {
  std::vector<double> out;
  for (const auto& [name, metric] : models::simulate(design, 1, context).metrics)
    out.push_back(metric.value);
  return out;
}

std::vector<double> on_simgrid(const Design& design, sim::FlowBackend backend) {
  return tests::in_child([&] {
    const auto context = sim::make_simgrid_context(backend);
    return figures(design, *context);
  });
}

// Requests of unlike size that reach a line within rounding of each other are served in either
// order: all of them as fast, but their waits do not add up to the same.
double precision_of(const std::string& name) { return name.ends_with(".queue") ? 1e-3 : 1e-9; }

// What lies between two dates is as exact as these are, 60 s at most.
double margin_of(const std::string& name) { return name.ends_with(".lost_work") ? 60e-9 : 1e-9; }

void check_equal(const RunResult& names, const std::vector<double>& a,
                 const std::vector<double>& b) {
  REQUIRE(a.size() == names.metrics.size());
  REQUIRE(b.size() == a.size());
  std::size_t i = 0;
  for (const auto& [name, unused] : names.metrics) {
    INFO(name);
    CHECK(b[i] == Approx(a[i]).epsilon(precision_of(name)).margin(margin_of(name)));
    ++i;
  }
}

void check_back_ends(const Design& design) {
  const RunResult alone = run(design);
  std::vector<double> values;
  for (const auto& [name, metric] : alone.metrics) values.push_back(metric.value);
  const std::vector<double> reference = on_simgrid(design, sim::FlowBackend::comm);
  check_equal(alone, reference, on_simgrid(design, sim::FlowBackend::fluid));
  check_equal(alone, reference, values);
}

// Rounding differs between back ends, and racing transfers double what differs at every meeting
// (tests/sim/races_test.cpp): from 1e-16 to 1e-9 in 4.9 s at the earliest, here; clients that
// search meet a thousand times as often.    [docs/models/laws.md, law 3]
void stop_searches(Design& design) {
  for (Component& tenant : design.tenants)
    if (tenant.kind == "vector_database") set(tenant, Role::tenant, "stop", "50 ms");
}

void keep_brief(Design& design) {
  stop_searches(design);
  set(design.run, Role::run, "duration", "4 s");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "every", "2 s");
}

}  // namespace

TEST_CASE("every kind: all back ends give the same figures to 1e-9") {
  for (const Kinds& kinds : all_kinds()) {
    for (const bool many : {false, true}) {
      INFO(kinds.name() << (many ? ", 100 round trips" : ""));
      Design design = design_of(kinds);
      keep_brief(design);
      if (many) set(*design.jobs[0].dataset, Role::dataset, "round_trips", "100");
      check_back_ends(design);
    }
  }
}

TEST_CASE("every kind: SimGrid gives the same bits again, and doubled in half as fast a design") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    Design design = design_of(kinds);
    keep_brief(design);
    const Design slow = half_as_fast(design);
    const RunResult names = run(design);
    for (const auto backend : {sim::FlowBackend::comm, sim::FlowBackend::fluid}) {
      const std::vector<double> a = on_simgrid(design, backend), b = on_simgrid(slow, backend);
      CHECK(on_simgrid(design, backend) == a);
      REQUIRE(a.size() == names.metrics.size());
      REQUIRE(b.size() == a.size());
      std::size_t i = 0;
      for (const auto& [name, figure] : names.metrics) {
        INFO(name);
        CHECK(b[i] == a[i] * slow_factor(figure.unit));
        ++i;
      }
    }
  }
}

TEST_CASE(
    "gradients alongside reads on oversubscribed leaves: all back ends give the same figures") {
  Design design = design_of(all_kinds().front());
  set(design.hosts[0], Role::host, "count", "8");
  design.fabric =
      component(Role::fabric, "fat-tree", "fabric",
                {{"converged", "true"}, {"leaf.ports", "6"}, {"oversubscription", "2"}});
  design.jobs[0].communication =
      component(Role::communication, "ddp", "communication", {{"gradient", "8"}});
  keep_brief(design);
  check_back_ends(design);
}

}  // namespace backends_test
