#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "engine/base/accelerators.hpp"
#include "engine/decide/explain/explain.hpp"
#include "engine/decide/predict/predict.hpp"
#include "tests/explain/evaluates.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace account_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("utilization is compute over wall, and wall the sum of what the run spent") {
  const Design design = saving();
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.gpu.utilization", result, forms);
  CHECK(tree.equation == "compute / wall");
  CHECK(tree.value == metric(result, "job.train.gpu.utilization"));
  check_evaluates(tree);
}

// 40 samples of 1 GB are copied at 1 GB/s, and four of them are a step of one rank each: it waits
// for most of the time, between its steps.
TEST_CASE("a step is taken apart without what training waited for its input between two of them") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "gpus", "1");
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "1 GB"}, {"samples", "40"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "1"}});
  set(job.job, Role::job, "epochs", "1");
  set(job.job, Role::job, "after", "in");
  set(job.job, Role::job, "after_share", "10 %");
  design.run.values.erase("duration");
  design.stages.push_back(component(Role::stage, "copy", "in",
                                    {{"from", "scratch"},
                                     {"to", "scratch"},
                                     {"hosts", "gpu"},
                                     {"size", "40 GB"},
                                     {"file", "1 GB"},
                                     {"rate", "1 GB/s"}}));
  const RunResult result = testing::run(design);
  REQUIRE(metric(result, "job.train.waited.job.train.input") > 10.0);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.step.time", result, forms);
  check_evaluates(tree);
  CHECK(tree.equation.find("- input") != std::string::npos);
  CHECK(tree.equation.find("rest") == std::string::npos);
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

TEST_CASE("a save of one rank from pageable memory names what its copy answers to") {
  Design design = saving();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "rank0");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "snapshot", "pageable");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "quiesce", "1 s");
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.checkpoint.duration", result, forms);
  check_evaluates(tree);
  const auto part = [&](const std::string& name) {
    return *std::find_if(tree.children.begin(), tree.children.end(),
                         [&](const ExplainNode& node) { return node.name.ends_with(name); });
  };
  CHECK(part("checkpoint.quiesce").value == 1.0);
  CHECK(part("took.host.gpu.nic.read").equation == "least");
  const ExplainNode copy = part("took.host.gpu.gpu.copy");
  CHECK(copy.equation == "least");  // and no rest
  CHECK(copy.value == Approx(96.0 / 8.0).epsilon(1e-9));
  bool pageable = false;
  const std::function<void(const ExplainNode&)> look = [&](const ExplainNode& node) {
    pageable = pageable || node.name == "cluster.hosts[gpu].gpu.copy_pageable";
    CHECK(node.name != "cluster.hosts[gpu].gpu.copy");
    for (const ExplainNode& child : node.children) look(child);
  };
  look(copy);
  CHECK(pageable);
}

TEST_CASE("a restore is taken apart as a save is, down to what its parts answer to") {
  Design design = saving();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "serializer", "torch");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "restore.read", "own");
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.restore.duration", result, forms);
  check_evaluates(tree);
  std::set<std::string> forms_used;
  const std::function<void(const ExplainNode&)> look = [&](const ExplainNode& node) {
    if (node.symbol == "least") forms_used.insert(node.name);
    for (const ExplainNode& child : node.children) look(child);
  };
  look(tree);
  CHECK(forms_used == std::set<std::string>{"job.train.restore.gpu.copy.bound",
                                            "job.train.restore.read.bound",
                                            "job.train.restore.serialize.bound"});
}

TEST_CASE("what one host moves at most is a part of what all of them do") {
  Design design = saving();
  set(design.hosts[0], Role::host, "nic.rate", "10 Gb/s");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "rank0");
  explain::Forms forms(design);
  const ExplainNode tree = forms.tree("job.train.checkpoint.save.bound");
  CHECK(tree.equation == "host * part / (all / hosts)");
  check_evaluates(tree);
  CHECK(tree.children[2].symbol == "all");
  CHECK(tree.children[2].note.find("some groups") == std::string::npos);
}

TEST_CASE("the bandwidth of increments is of what they moved") {
  Design design = saving();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "incremental.fraction", "10 %");
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.checkpoint.bandwidth", result, forms);
  CHECK(tree.equation == "moved / duration");
  check_evaluates(tree);
}

TEST_CASE("what a line of a cache was billed is what crossed it and its price") {
  Design design = small_design();
  design.storage.push_back(component(Role::storage, "cache", "near",
                                     {{"over", "scratch"},
                                      {"server.count", "2"},
                                      {"server.size", "1 TB"},
                                      {"link.rate", "1 GB/s"},
                                      {"link.price_per_tb", "20 USD"}}));
  RunResult result;
  result.metrics["storage.near.link.read"] = {1.5e12, "B", {}};
  result.metrics["storage.near.link.price"] = {30.0, "USD", {}};
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("storage.near.link.price", result, forms);
  CHECK(tree.equation == "crossed / terabyte * price");
  check_evaluates(tree);
}

TEST_CASE("what requests cost is their rate, an hour and their price") {
  Design design = design_with_storage(
      "s3", {{"request.get.price", "0.0004 USD"}, {"request.put.price", "0.005 USD"}});
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset", {{"on", "scratch"}, {"sample", "100 kB"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "10"}});
  design.jobs[0].checkpoint = component(Role::checkpoint, "async", "checkpoint",
                                        {{"to", "scratch"}, {"every", "20 s"}, {"size", "4 GB"}});
  set(design.jobs[0].job, Role::job, "run.steps", "1e6");
  set(design.hosts[0], Role::host, "rent", "20 USD/h");
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("cost.requests", result, forms);
  CHECK(tree.equation.starts_with("(rate1 * price1 + rate2 * price2) * hour / 1000"));
  check_evaluates(tree);
  const ExplainNode run = explain::account("job.train.run.cost", result, forms);
  CHECK(run.equation == "(cost + requests) * time");
  check_evaluates(run);
}

TEST_CASE("the mean of replicas is the root, the median replica is taken apart") {
  Design design = saving();
  set(design.jobs[0].step, Role::step, "jitter", "5 %");
  const std::vector<RunResult> runs = {testing::run(design, 1), testing::run(design, 2),
                                       testing::run(design, 3)};
  std::vector<double> useful;
  for (const RunResult& run : runs) useful.push_back(metric(run, "job.train.gpu.utilization"));
  std::vector<double> sorted = useful;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted[0] < sorted[2]);  // seeds differ
  const Prediction prediction = predict::combine(design, runs);
  const auto explained = explain::explain(design, &prediction, runs, {"job.train.gpu.utilization"});
  REQUIRE(explained.ok());
  REQUIRE(explained->trees.size() == 1);
  const ExplainNode& tree = explained->trees[0];
  CHECK(tree.equation == "(seed1 + seed2 + seed3) / 3");
  CHECK(tree.note == "mean of 3 replicas");
  REQUIRE(tree.children.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    if (!tree.children[i].children.empty()) CHECK(useful[i] == sorted[1]);
  CHECK(std::count_if(tree.children.begin(), tree.children.end(),
                      [](const ExplainNode& n) { return !n.children.empty(); }) == 1);
  check_evaluates(tree);
}

TEST_CASE("replicas that agree are not summed") {
  const Design design = saving();
  const RunResult run = testing::run(design, 1);
  std::vector<RunResult> runs = {run, run};
  runs[1].seed = 2;
  const Prediction prediction = predict::combine(design, runs);
  const auto explained = explain::explain(design, &prediction, runs, {"job.train.gpu.utilization"});
  REQUIRE(explained.ok());
  const ExplainNode& tree = explained->trees[0];
  CHECK(tree.equation == "compute / wall");
  CHECK(tree.note.starts_with("the same in all 2 replicas"));
  check_evaluates(tree);
}

TEST_CASE("a save is told by what writes, where reads are as fast") {
  const Design design = saving();
  explain::Forms forms(design);
  // As fast as each other: whichever counts gives the same.
  const auto told = [&](std::string_view word) {
    forms.prefer(word);
    std::string out;
    for (const ExplainNode& child : forms.tree("resource.storage.scratch.ost.capacity").children)
      if (!child.symbol.empty() && child.name.find(".ost.") != std::string::npos) out += child.name;
    return out;
  };
  CHECK(told("write").find("ost.write") != std::string::npos);
  CHECK(told("read").find("ost.read") != std::string::npos);
}

TEST_CASE("the beginning of names means all that begin so") {
  const Design design = saving();
  const auto prediction = predict::predict(design, {});
  REQUIRE(prediction.ok());
  const auto found = explain::explain(design, &*prediction, {}, {"job.train.time"});
  REQUIRE(found.ok());
  CHECK(found->trees.size() > 1);
  for (const ExplainNode& tree : found->trees) CHECK(tree.name.starts_with("job.train.time."));
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

TEST_CASE("a metric that only a simulation tells, or a price, is not called unknown") {
  const Design design = saving();
  const auto said = [&](const Prediction* prediction, const char* asked) {
    const auto explained = explain::explain(design, prediction, {}, {asked});
    return explained.ok() ? "" : explained.failure().message + "; " + explained.failure().hint;
  };
  CHECK(said(nullptr, "job.train.step.time.p95") ==
        "\"job.train.step.time.p95\" is not known without a simulation; leave out --no-simulation");
  CHECK(said(nullptr, "job.other.step.time.p95").starts_with("no metric is named"));
  const Prediction prediction = predict::combine(design, std::vector{testing::run(design)});
  CHECK(said(&prediction, "cost.capex").starts_with("nothing in the scenario has a price"));
}

TEST_CASE("what a useful hour of a GPU costs is in units that can be multiplied as printed") {
  Design design = saving();
  Value& rent = design.hosts[0].values["rent"];
  rent.dimension = Dimension::money_rate;
  rent.number = 36.0 / 3600.0;
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("cost.per_useful_gpu_hour", result, forms);
  check_evaluates(tree);
  CHECK(tree.equation == "cost * hour / useful");
  REQUIRE(tree.children.size() == 3);
  CHECK(tree.children[1].value == 3600.0);
  CHECK(tree.children[1].unit == "s");
}

TEST_CASE("a limit on the cost of saves says how many OSTs it takes") {
  Design design = saving();
  Expectation target;
  target.id = "cheap";
  target.that = "job.train.checkpoint.overhead <= 20 %";
  target.where = "s.json:1:1";
  design.expect.push_back(target);
  set(design.storage[0], Role::storage, "ost.write", "2 GB/s");
  const auto osts = [&](const Design& asked) {
    const auto explained = explain::explain(asked, nullptr, {}, {"storage.scratch.osts.for_cheap"});
    if (!explained.ok() || explained->trees.empty()) return 0.0;
    check_evaluates(explained->trees[0]);
    return explained->trees[0].value;
  };
  // A save every 20 s may take 20 % of them: 4 s for 96 GB, 24 GB/s, 12 OSTs of 2 GB/s.
  CHECK(osts(design) == 12.0);
  // A third of it, compressed: 8 GB/s.
  set(*design.jobs[0].checkpoint, Role::checkpoint, "compress.ratio", "3");
  CHECK(osts(design) == 4.0);
  // No job waits for these.
  design.jobs[0].checkpoint->kind = "async";
  CHECK(osts(design) == 0.0);
}

}  // namespace account_test
