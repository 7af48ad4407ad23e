#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "models/bounds/cost.hpp"
#include "models/bounds/whole_run.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// Whole runs with failures, saves and requests: alone and in a row. docs/models/whole-run.md,
/// docs/models/stages.md.
namespace whole_runs_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

namespace {

// 100 steps of 100 ms stand for 100,000; a process fails every 30 min, and a restart takes 10 min.
Design failing() {
  Design design = with_job({});
  design.hosts.resize(1);
  set(design.jobs[0].job, Role::job, "run.steps", "100000");
  design.jobs[0].recovery =
      component(Role::recovery, "restart", "recovery", {{"restore", "10 min"}});
  design.failures.push_back(
      component(Role::failure, "process", "crash", {{"mtbf", "30 min"}, {"per", "job"}}));
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "near"}, {"size", "1 MB"}, {"every_steps", "20"}});
  return design;
}

// The same work by two jobs, one after the other.
Design failing_in_a_row() {
  Design design = failing();
  set(design.jobs[0].job, Role::job, "run.steps", "50000");
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "tune";
  set(design.jobs[1].job, Role::job, "after", "train");
  return design;
}

/// Both, simulated once for all who look at them, with prices: seconds do not depend on them.
const RunResult& priced(Design (*design)()) {
  static std::map<Design (*)(), RunResult> simulated;
  auto found = simulated.find(design);
  if (found == simulated.end()) {
    Design of = design();
    set(of.hosts[0], Role::host, "rent", "8 USD/h");
    for (Component& storage : of.storage) set(storage, Role::storage, "price", "0 USD");
    found = simulated.emplace(design, run(of)).first;
  }
  return found->second;
}

}  // namespace

TEST_CASE("failures over months delay what follows a job") {
  const RunResult &one = priced(failing), &two = priced(failing_in_a_row);
  const double time = metric(one, "job.train.run.time");
  CHECK(metric(one, "job.train.goodput") < 0.75);
  CHECK(metric(two, "pipeline.time") == Approx(time).epsilon(0.02));
  CHECK(of_stage(two, "train.time") == Approx(metric(two, "job.train.run.time")).epsilon(1e-9));
  CHECK(of_stage(two, "tune.start") == Approx(of_stage(two, "train.end")).epsilon(1e-9));
  const auto blamed = [&](const std::string& name) {
    double share = 0.0;
    for (const ResourceUse& use : two.resources)
      if (use.name == name) share = use.blamed_share;
    return share;
  };
  CHECK(blamed("job.train.failures") + blamed("job.tune.failures") ==
        Approx(one.breakdown.at("train").at("restart")).epsilon(0.05));
}

TEST_CASE(
    "without a save nothing says what failures cost a whole run, nor when what follows starts") {
  Design design = failing();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "every_steps", "200");
  set(design.hosts[0], Role::host, "rent", "8 USD/h");
  const RunResult one = run(design);
  for (const char* figure : {"goodput", "run.time", "run.days", "run.cost"})
    CHECK_FALSE(one.metrics.contains(std::string("job.train.") + figure));
  CHECK(std::any_of(one.warnings.begin(), one.warnings.end(), [](const std::string& warning) {
    return warning.find("how long a whole run takes, is unknown") != std::string::npos;
  }));
  Design row = failing_in_a_row();
  for (JobDesign& job : row.jobs) set(*job.checkpoint, Role::checkpoint, "every_steps", "200");
  const RunResult two = run(row);
  for (const char* figure : {"pipeline.time", "stage.train.end", "stage.tune.start"})
    CHECK_FALSE(two.metrics.contains(figure));
  CHECK(of_stage(two, "train.start") == 0.0);
}

TEST_CASE("two jobs in a row cost and idle as one that does the work of both") {
  const RunResult &one = priced(failing), &two = priced(failing_in_a_row);
  for (const char* figure : {"cost.per_useful_gpu_hour", "cost.gpu_idle"})
    CHECK(metric(two, figure) == Approx(metric(one, figure)).epsilon(0.03));
}

TEST_CASE("a useful GPU-hour of a whole run costs what the run does over what it computes") {
  // A failure with a date comes once in the whole run, however much of the window it takes.
  Design design = failing();
  set(design.hosts[0], Role::host, "rent", "8 USD/h");
  design.failures[0] = component(Role::failure, "process", "crash", {{"at", "5 s"}});
  set(*design.jobs[0].recovery, Role::recovery, "restore", "20 s");
  const RunResult result = run(design);
  REQUIRE(metric(result, "job.train.goodput") < 0.5);
  const double gpus = 32.0, hours = 100000.0 * 0.1 / 3600.0;
  CHECK(metric(result, "cost.per_useful_gpu_hour") ==
        Approx(metric(result, "job.train.run.cost") / (gpus * hours)).epsilon(1e-6));
  const double idle = metric(result, "cost.gpu_idle") / metric(result, "cost.hourly");
  CHECK(idle > 0.0);
  CHECK(idle < 0.05);
}

TEST_CASE("a window with one save of many says what the others cost") {
  // A save of 5 GB at 5 GB/s after each 40 steps: 2.5 of them in 100 steps, and one in 60.
  const auto time = [](const char* steps) {
    Design design = failing();
    design.failures.clear();
    set(design.jobs[0].job, Role::job, "steps", steps);
    set(*design.jobs[0].checkpoint, Role::checkpoint, "size", "5 GB");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "every_steps", "40");
    return metric(run(design), "job.train.run.time");
  };
  CHECK(time("60") == Approx(time("80")).epsilon(2e-3));
  CHECK(time("100") == Approx(time("80")).epsilon(2e-3));
}

TEST_CASE("a job whose whole run is shorter than what is simulated ends with it") {
  // 110 of 200 steps; of three epochs of 50; of a minute that would hold 600.
  const auto ends = [](const char* steps, const char* epochs, const char* duration) {
    Design design = failing();
    design.failures.clear();
    set(design.jobs[0].job, Role::job, "run.steps", "110");
    set(design.jobs[0].job, Role::job, "steps", steps);
    set(design.jobs[0].job, Role::job, "epochs", epochs);
    set(*design.jobs[0].dataset, Role::dataset, "samples", "6400");
    if (duration != nullptr) set(design.run, Role::run, "duration", duration);
    return design;
  };
  for (Design design :
       {ends("200", "1", nullptr), ends("50", "3", nullptr), ends("50", "40", "1 min")}) {
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.steps") == 110.0);
    CHECK(metric(result, "job.train.run.time") ==
          Approx(metric(result, "job.train.time.wall")).epsilon(1e-9));
    set(design.run, Role::run, "fast_forward", "false");
    CHECK(metric(run(design), "job.train.run.time") ==
          Approx(metric(result, "job.train.run.time")).epsilon(1e-9));
  }
  // What a failure undoes is done again, and then it ends.
  Design fails = ends("200", "1", "10 min");
  fails.failures = {component(Role::failure, "process", "crash", {{"at", "5 s"}})};
  set(*fails.jobs[0].recovery, Role::recovery, "restore", "20 s");
  const RunResult again = run(fails);
  CHECK(metric(again, "job.train.steps") == 110.0);
  CHECK(metric(again, "job.train.run.time") ==
        Approx(metric(again, "job.train.time.wall")).epsilon(1e-9));
  // Histories of failures at random go on until all work is kept: a window shows their pace.
  Design random = failing();
  set(random.jobs[0].job, Role::job, "run.steps", "10");
  CHECK(metric(run(random), "job.train.steps") == 100.0);
}

TEST_CASE("requests of a row of jobs are paid by the time that was simulated") {
  Design design = failing_in_a_row();
  design.failures.clear();
  design.storage[1] = component(Role::storage, "s3", "near", {{"request.get.price", "0.4 USD"}});
  const RunResult result = run(design);
  const double gets = metric(result, "resource.storage.near.prefixes.get.throughput");
  REQUIRE(gets > 0.0);
  CHECK(metric(result, "cost.requests") == Approx(gets * 0.4 / 1000.0 * 3600.0).epsilon(0.05));
}

TEST_CASE("a tenant that stops leaves what jobs in a row move as it is") {
  Design design = failing_in_a_row();
  design.failures.clear();
  const auto writes = [&](const char* stop) {
    design.tenants = {component(Role::tenant, "ingest", "in",
                                {{"on", "far"}, {"hosts", "gpu"}, {"rate", "10 kB/s"}})};
    if (stop != nullptr) set(design.tenants[0], Role::tenant, "stop", stop);
    return run(design);
  };
  const char* load = "resource.storage.near.head.throughput";
  const RunResult with = writes("5 s"), on = writes(nullptr);
  design.tenants.clear();
  CHECK(metric(with, load) == Approx(metric(run(design), load)).epsilon(0.02));
  const auto told = [](const RunResult& result) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [](const std::string& text) { return text.starts_with("tenants go on"); });
  };
  CHECK_FALSE(told(with));
  CHECK(told(on));
}

}  // namespace whole_runs_test
