#include <catch2/catch.hpp>

#include "engine/decide/plan/advice.hpp"
#include "tests/support/values.hpp"

namespace stage_advice_test {

using namespace stallcast;
using testing::number;

TEST_CASE("workers of a stage are doubled where they limit it") {
  Design d;
  Component& stage = d.stages.emplace_back();
  stage.id = "v";
  stage.kind = "verify";
  stage.values["workers"] = number(4, Dimension::count);
  Prediction p;
  p.bottlenecks.push_back({"stage.v.workers", 0.9, 0.5, ""});
  p.breakdown["train"] = {{"data", 0.5}};
  const auto changes = plan::candidate_changes(d, p, 4);
  REQUIRE(changes.size() == 1);
  CHECK(text_of(changes[0].change) == "stages[v].workers=8");
}

}  // namespace stage_advice_test
