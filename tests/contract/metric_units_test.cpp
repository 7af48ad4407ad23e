#include <catch2/catch.hpp>

#include "stallcast/metric.hpp"
#include "tests/contract/kinds.hpp"
#include "tests/support/designs.hpp"

namespace metric_units_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("every kind: figures come in the unit of their table") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    for (const auto& [name, value] : run(design_of(kinds)).metrics)
      if (const metric::Figure* figure = metric::find(name)) {
        INFO(name);
        CHECK(value.unit == figure->unit);
      }
  }
}

TEST_CASE("every kind: targets may name each metric that its run reports") {
  for (const Kinds& kinds : all_kinds()) {
    INFO(kinds.name());
    for (const auto& [name, value] : run(design_of(kinds)).metrics) {
      INFO(name);
      CHECK(metric::is_reported(name));
    }
  }
}

}  // namespace metric_units_test
