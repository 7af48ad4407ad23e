#include <catch2/catch.hpp>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/simgrid_context.hpp"
#include "models/simulate.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/sim/forked.hpp"
#include "tests/support/designs.hpp"

/// SimGrid's own transfers are the reference; our solver, inside SimGrid and without it, must
/// agree.
using namespace stallcast;
using namespace stallcast::testing;

namespace {

std::vector<double> figures(const Design& design, sim::Context& context) {
  std::vector<double> out;
  for (const auto& [name, metric] : models::simulate(design, 1, context).metrics)
    out.push_back(metric.value);
  return out;
}

void check_equal(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] == Approx(a[i]).epsilon(1e-9).margin(1e-9));
}

std::vector<double> on_simgrid(const Design& design, sim::FlowBackend backend) {
  return tests::in_child([&] {
    const auto context = sim::make_simgrid_context(backend);
    return figures(design, *context);
  });
}

void check_back_ends(const Design& design) {
  const std::vector<double> reference = on_simgrid(design, sim::FlowBackend::comm);
  check_equal(reference, on_simgrid(design, sim::FlowBackend::fluid));
  const auto alone = sim::make_fluid_context();
  check_equal(reference, figures(design, *alone));
}

}  // namespace

TEST_CASE("every kind: all back ends give the same figures to 1e-9") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    check_back_ends(design_of(kinds));
  }
}

TEST_CASE("gradients beside reads on oversubscribed leaves: all back ends give the same figures") {
  using models::Role;
  Design design = design_of(all_kinds().front());
  set(design.hosts[0], Role::host, "count", "8");
  design.fabric =
      component(Role::fabric, "fat-tree", "fabric",
                {{"converged", "true"}, {"leaf.ports", "6"}, {"oversubscription", "2"}});
  design.jobs[0].communication =
      component(Role::communication, "ddp", "communication", {{"gradient", "8"}});
  check_back_ends(design);
}
