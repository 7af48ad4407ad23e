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
#include "tests/support/stages.hpp"

/// Runs of weeks, and jobs in a row, taken apart.
namespace account_weeks_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("the time of all stages is from the first start to the last end") {
  const RunResult result = testing::run(staged::with_job({staged::copy("in")}));
  const Design design = staged::with_job({staged::copy("in")});
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("pipeline.time", result, forms);
  CHECK(tree.equation == "max(end1, end2) - min(start1, start2)");
  REQUIRE(tree.children.size() == 4);
  check_evaluates(tree);
}

TEST_CASE("what a run of weeks takes, costs and draws, and what failures cost it, is taken apart") {
  Design design = saving();
  set(design.jobs[0].job, Role::job, "run.steps", "1e6");
  set(design.hosts[0], Role::host, "rent", "20 USD/h");
  set(design.hosts[0], Role::host, "power", "2 kW");
  set(design.hosts[0], Role::host, "gpu.power", "700 W");
  set(design.hosts[0], Role::host, "gpu.power_idle", "100 W");
  set(design.storage[0], Role::storage, "ost.power", "500 W");
  design.failures.push_back(component(Role::failure, "host", "gpu", {{"mtbf", "30 d"}}));
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {{"runs", "50"}});
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const std::pair<const char*, const char*> expected[] = {
      {"job.train.run.time", "steps * compute / goodput"},
      {"job.train.run.days", "time / day"},
      {"job.train.run.cost", "cost * time"},
      {"job.train.run.energy", "power * time / kwh"}};
  for (const auto& [name, equation] : expected) {
    CAPTURE(name);
    const ExplainNode tree = explain::account(name, result, forms);
    CHECK(tree.equation == equation);
    CHECK(tree.value == metric(result, name));
    check_evaluates(tree);
  }
  const std::string best = "job.train.checkpoint.best_interval";
  const ExplainNode searched = explain::account(best, result, forms);
  CHECK(searched.note.starts_with("searched: "));
  REQUIRE(searched.children.size() == 4);
  for (const char* form : {"young", "daly"}) {
    CAPTURE(form);
    const ExplainNode& tree = searched.children[form == std::string("daly") ? 1 : 0];
    CHECK(tree.name == best + "." + form);
    CHECK(tree.equation.starts_with("sqrt(2 * stall * mtbf)"));
    CHECK(tree.value == metric(result, tree.name));
    check_evaluates(tree);
  }
  const ExplainNode power = explain::account("power.mean", result, forms);
  CHECK(power.equation.find(" * (1 - busy") != std::string::npos);
  check_evaluates(power);
}

TEST_CASE("what idle GPUs of jobs in a row cost and draw is taken apart by the time of each") {
  // 100 steps of 1 s on all GPUs, then 300 on a quarter of them: busy (100 + 300 / 4) / 400.
  Design design = small_design();
  design.run.values.erase("duration");
  set(design.hosts[0], Role::host, "rent", "20 USD/h");
  set(design.hosts[0], Role::host, "gpu.power", "700 W");
  set(design.hosts[0], Role::host, "gpu.power_idle", "100 W");
  JobDesign& first = design.jobs[0];
  set(first.step, Role::step, "compute", "1 s");
  set(first.step, Role::step, "jitter", "0 %");
  set(first.job, Role::job, "steps", "100");
  design.jobs.push_back(first);
  JobDesign& then = design.jobs[1];
  then.job.id = "tune";
  set(then.job, Role::job, "steps", "300");
  set(then.job, Role::job, "after", "train");
  const double gpus = base::accelerators(design, design.jobs[0]);
  set(then.job, Role::job, "accelerators", std::to_string(static_cast<int>(gpus / 4.0)).c_str());
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("cost.gpu_idle", result, forms);
  CHECK(tree.equation == "gpu_hour * (hosts * gpus - busy)");
  REQUIRE(tree.children.size() == 4);
  CHECK(tree.children[3].equation == "gpus1 * time1 * share1 + gpus2 * time2 * share2");
  CHECK(tree.children[3].value / gpus == Approx((100.0 + 300.0 / 4.0) / 400.0).epsilon(1e-6));
  check_evaluates(tree);
  const ExplainNode power = explain::account("power.mean", result, forms);
  check_evaluates(power);
  bool busy = false;
  for (const ExplainNode& child : power.children)
    busy = busy || child.equation == "busy / (hosts * gpus)";
  CHECK(busy);
}

TEST_CASE("a failure with a date stands once in the time of a run of weeks") {
  Design design = saving();
  set(design.jobs[0].job, Role::job, "run.steps", "1e6");
  set(design.run, Role::run, "duration", "20 min");
  design.failures.push_back(component(Role::failure, "process", "gpu", {{"at", "100 s"}}));
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.run.time", result, forms);
  CHECK(tree.equation == "steps * compute / goodput * (wall - once + owed) / wall + once - owed");
  check_evaluates(tree);
}

TEST_CASE("what epochs begin with stands as often as they do in the time of a run of weeks") {
  Design design = saving();
  set(design.jobs[0].job, Role::job, "run.epochs", "30");
  set(design.jobs[0].job, Role::job, "epochs", "2");
  design.run.values.erase("duration");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"},
                                      {"sample", "10 MB"},
                                      {"samples", "8000"},
                                      {"cache.policy", "lru"},
                                      {"cache.size", "1 TB"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {});
  const RunResult result = testing::run(design);
  explain::Forms forms(design);
  const ExplainNode tree = explain::account("job.train.run.time", result, forms);
  // Reads keep up while caches are cold, too: what is left is that queues fill with each epoch.
  CHECK(tree.equation ==
        "steps * compute / goodput * (wall - start + owed) / wall + start - owed + (epochs - "
        "begun) * begin");
  check_evaluates(tree);
}

}  // namespace account_weeks_test
