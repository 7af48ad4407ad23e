#include <catch2/catch.hpp>
#include <vector>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/simgrid_context.hpp"
#include "models/simulate.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/sim/forked.hpp"

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

}  // namespace

TEST_CASE("every kind: all back ends give the same figures to 1e-9") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    const Design design = design_of(kinds);
    const auto inside = [&](sim::FlowBackend backend) {
      return tests::in_child([&] {
        const auto context = sim::make_simgrid_context(backend);
        return figures(design, *context);
      });
    };
    const std::vector<double> reference = inside(sim::FlowBackend::comm);
    check_equal(reference, inside(sim::FlowBackend::fluid));
    const auto alone = sim::make_fluid_context();
    check_equal(reference, figures(design, *alone));
  }
}
