#include "engine/decide/diff/compare_sides.hpp"

#include <catch2/catch.hpp>

namespace compare_sides_test {

using namespace stallcast;

namespace {

/// 100 ms and 99 ms a step, of one replica each; `changed` is the input that is another.
Diff sides(const std::string& changed, std::vector<std::uint64_t> head_seeds) {
  Diff diff;
  diff.inputs_known = true;
  diff.base.prediction.seeds = {1};
  diff.head.prediction.seeds = std::move(head_seeds);
  diff.base.prediction.metrics["job.t.step.time"] = {0.1, "s", {}};
  diff.head.prediction.metrics["job.t.step.time"] = {0.099, "s", {}};
  InputChange input;
  input.name = changed;
  input.moves = {{changed, "1", "2", "", ""}};
  diff.inputs = {input};
  return diff;
}

Effect effect_of(Diff diff) {
  diff::compare(diff, {"*", 0.005});
  REQUIRE(diff.metrics.size() == 1);
  return diff.metrics.front().effect;
}

}  // namespace

TEST_CASE("what only another seed moved is no better") {
  CHECK(effect_of(sides("run.seed", {2})) == Effect::changed);
  CHECK(effect_of(sides("run.replicas", {1, 2})) == Effect::changed);
  CHECK(effect_of(sides("storage[s].ost.count", {1})) == Effect::better);
  CHECK(effect_of(sides("storage[s].ost.count", {2})) == Effect::better);
}

// The same wait of every step is a larger share of a run that became shorter.
TEST_CASE("a share of the time is worse where what is waited for in a step is longer, too") {
  const auto side = [](double share, double waited, double steps) {
    Prediction p;
    p.seeds = {1};
    p.metrics["job.t.stall.cpu"] = {share, "ratio", {}};
    p.metrics["job.t.time.cpu"] = {waited, "s", {}};
    p.metrics["job.t.steps"] = {steps, "count", {}};
    return p;
  };
  const auto effect = [&](const Prediction& base, const Prediction& head) {
    Diff diff;
    diff.base.prediction = base, diff.head.prediction = head;
    diff::compare(diff, {"*.stall.cpu", 0.005});
    REQUIRE(diff.metrics.size() == 1);
    return diff.metrics.front().effect;
  };
  const Prediction base = side(0.02, 0.6, 100.0);
  CHECK(effect(base, side(0.03, 0.6, 100.0)) == Effect::changed);
  CHECK(effect(base, side(0.03, 0.5, 100.0)) == Effect::changed);
  CHECK(effect(base, side(0.03, 1.2, 200.0)) == Effect::changed);
  CHECK(effect(base, side(0.03, 0.9, 100.0)) == Effect::worse);
  CHECK(effect(base, side(0.01, 0.6, 100.0)) == Effect::changed);
  CHECK(effect(base, side(0.01, 0.3, 100.0)) == Effect::better);
}

}  // namespace compare_sides_test
