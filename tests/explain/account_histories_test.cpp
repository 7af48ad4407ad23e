#include <cmath>
#include <string>

#include "tests/explain/evaluates.hpp"

/// What only histories of failures and lent GPUs tell, taken apart.
namespace account_histories_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Of small_design, saving every 20 s: a host fails every 2 d, and is repaired within 1 d; the
// processes fail once a day.
Design failing() {
  Design design = saving();
  design.failures.push_back(
      component(Role::failure, "host", "gpu",
                {{"mtbf", "2 d"}, {"per", "job"}, {"correlated", "0 %"}, {"repair", "1 d"}}));
  design.failures.push_back(
      component(Role::failure, "process", "sw", {{"mtbf", "1 d"}, {"per", "job"}}));
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery",
                                      {{"runs", "400"},
                                       {"spares", "1"},
                                       {"detect", "30 s"},
                                       {"replace", "2 min"},
                                       {"search", "0"}});
  return design;
}

double rest_of(const ExplainNode& node) {
  for (const ExplainNode& child : node.children)
    if (child.kind == ExplainNode::Kind::rest) return child.value;
  return 0.0;
}

const ExplainNode* find(const ExplainNode& node, const std::string& name) {
  if (node.name == name) return &node;
  for (const ExplainNode& child : node.children)
    if (const ExplainNode* found = find(child, name)) return found;
  return nullptr;
}

}  // namespace

TEST_CASE("shares of the time that failures take lead to the fields that set them") {
  const Design design = failing();
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const auto tree = [&](const std::string& key) {
    const ExplainNode out = explain::account("job.train.failures." + key, result, forms);
    CHECK(out.value == metric(result, "job.train.failures." + key));
    check_evaluates(out);
    return out;
  };
  const ExplainNode lost = tree("lost.share");
  CHECK(lost.equation == "failures * lost_work / time");
  CHECK(find(lost, "jobs[train].checkpoint.every") != nullptr);
  CHECK(find(lost, "failures[gpu].mtbf") != nullptr);
  // Of 20 s half what is work, and until a save has arrived.
  const ExplainNode work = tree("lost_work");
  CHECK(work.equation == "(every - stall) * ((every - stall) / 2 + arrives) / every + rest");
  CHECK(std::abs(rest_of(work)) < 0.15 * work.value);
  // 15 failures of hosts and 30 of processes a month.
  const ExplainNode count = tree("count");
  CHECK(count.equation == "f1 + f2 + rest");
  CHECK(count.children[0].name == "job.train.failures.count, gpu");
  CHECK(count.children[0].value == Approx(15.0).epsilon(1e-9));
  CHECK(count.children[1].value == Approx(30.0).epsilon(1e-9));
  CHECK(std::abs(rest_of(count)) < 1.0);
  const ExplainNode back = tree("restart");
  CHECK(back.equation.starts_with("detect + replace * hosts + start + init"));
  CHECK(find(tree("restart.share"), "jobs[train].recovery.replace") != nullptr);
  // Half a host is repaired at one time: two and more are in 1 - e^(-1/2) (1 + 1/2) of the time.
  const ExplainNode waiting = tree("waiting.share");
  CHECK(waiting.equation == "short + rest");
  CHECK(waiting.children[0].value == Approx(1.0 - 1.5 * std::exp(-0.5)).epsilon(1e-9));
  CHECK(std::abs(rest_of(waiting)) < 0.1 * waiting.value);
  CHECK(find(waiting, "jobs[train].recovery.spares") != nullptr);
  CHECK(find(waiting, "failures[gpu].repair") != nullptr);
}

TEST_CASE("nothing that histories tell is without its parts") {
  Design design = failing();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "corrupt", "20 %");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "keep.last", "3");
  for (const bool whole : {false, true})
    for (const bool lends : {false, true}) {
      CAPTURE(whole, lends);
      if (whole) set(design.jobs[0].job, Role::job, "run.steps", "2e6");
      design.jobs[0].elastic.reset();
      if (lends)
        design.jobs[0].elastic = component(Role::elastic, "schedule", "elastic",
                                           {{"gpus", "8"}, {"period", "1 d"}, {"busy", "6 h"}});
      const RunResult result = testing::run(design);
      explain::Forms forms(design);
      std::size_t of_histories = 0;
      for (const auto& [name, metric] : result.metrics) {
        if (!name.starts_with("job.train.failures.") && !name.starts_with("job.train.elastic.") &&
            name != "job.train.goodput.p5")
          continue;
        CAPTURE(name);
        ++of_histories;
        const ExplainNode tree = explain::account(name, result, forms);
        CHECK(tree.value == metric.value);
        CHECK_FALSE(tree.children.empty());
        check_evaluates(tree);
      }
      CHECK(of_histories >= (lends ? 18U : 10U));
    }
}

TEST_CASE("no spares are given: a wait for hosts is nothing, and says why") {
  Design design = failing();
  design.jobs[0].recovery->values.erase("spares");
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.failures.waiting.share", result, forms);
  CHECK(tree.value == 0.0);
  CHECK(tree.note.find("recovery.spares") != std::string::npos);
}

}  // namespace account_histories_test
