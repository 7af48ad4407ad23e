#include <catch2/catch.hpp>
#include <functional>

#include "engine/explain/explain.hpp"
#include "engine/predict/predict.hpp"
#include "tests/support/designs.hpp"

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

Design saving() {
  Design design = small_design();
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"every", "20 s"}, {"size", "96 GB"}, {"serializer", "none"}});
  return design;
}

void check_evaluates(const ExplainNode& node) {
  INFO(node.name << " = " << node.equation);
  if (!node.equation.empty())
    CHECK(explain::evaluated(node).value() == Approx(node.value).epsilon(1e-9).margin(1e-15));
  for (const ExplainNode& child : node.children) check_evaluates(child);
}

}  // namespace

TEST_CASE("utilization is compute over wall, and wall the sum of what the run spent") {
  const Design design = saving();
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.gpu.utilization", result, forms);
  CHECK(tree.equation == "compute / wall");
  CHECK(tree.value == metric(result, "job.train.gpu.utilization"));
  check_evaluates(tree);
}

TEST_CASE("a save takes what its closed form says, and a rest that is named") {
  const Design design = saving();
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.checkpoint.duration", result, forms);
  check_evaluates(tree);
  bool least = false;
  const std::function<void(const ExplainNode&)> look = [&](const ExplainNode& node) {
    least = least || node.symbol == "least";
    for (const ExplainNode& child : node.children) look(child);
  };
  look(tree);
  CHECK(least);
}

TEST_CASE("the mean of replicas is the root, the first replica is taken apart") {
  const Design design = saving();
  const std::vector<RunResult> runs = {testing::run(design, 1), testing::run(design, 2)};
  const Prediction prediction = predict::combine(design, runs);
  const auto explained = explain::explain(design, &prediction, runs, {"job.train.gpu.utilization"});
  REQUIRE(explained.ok());
  REQUIRE(explained->trees.size() == 1);
  const ExplainNode& tree = explained->trees[0];
  CHECK(tree.equation == "(seed1 + seed2) / 2");
  CHECK_FALSE(tree.children[0].children.empty());
  CHECK(tree.children[1].children.empty());
  check_evaluates(tree);
}

TEST_CASE("a metric that is not there is refused with the nearest name") {
  const Design design = saving();
  const std::vector<RunResult> runs = {testing::run(design)};
  const Prediction prediction = predict::combine(design, runs);
  const auto explained = explain::explain(design, &prediction, runs, {"job.train.gpu.utilisation"});
  REQUIRE_FALSE(explained.ok());
  CHECK(explained.failure().exit == ExitCode::bad_input);
  CHECK(explained.failure().hint == "did you mean \"job.train.gpu.utilization\"?");
}

TEST_CASE("a limit on the cost of saves says how many OSTs it takes") {
  Design design = saving();
  Expectation target;
  target.id = "cheap";
  target.that = "job.train.checkpoint.overhead <= 20 %";
  target.where = "s.json:1:1";
  design.expect.push_back(target);
  set(design.storage[0], Role::storage, "ost.write", "2 GB/s");
  const auto explained = explain::explain(design, nullptr, {}, {"storage.scratch.osts.for_cheap"});
  REQUIRE(explained.ok());
  REQUIRE(explained->trees.size() == 1);
  // 20 s x 20 % / 80 % = 5 s for 96 GB: 19.2 GB/s, 9.6 OSTs of 2 GB/s
  CHECK(explained->trees[0].value == 10.0);
  check_evaluates(explained->trees[0]);
}
