#include "engine/sim/fluid_context.hpp"

#include <catch2/catch.hpp>
#include <cstddef>

#include "tests/sim/context_cases.hpp"

namespace fluid_context_test {

TEST_CASE("the fluid context does what every context must") {
  for (const stallcast::tests::ContextCase& one : stallcast::tests::context_cases()) {
    const auto context = stallcast::sim::make_fluid_context();
    const std::vector<double> got = one.run(*context);
    INFO(one.name);
    REQUIRE(got.size() == one.expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("value " << i << ": " << got[i] << ", expected " << one.expected[i]);
      CHECK(stallcast::tests::near(got[i], one.expected[i], 1e-9));
    }
  }
}

}  // namespace fluid_context_test
