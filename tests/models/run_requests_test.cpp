#include <catch2/catch.hpp>
#include <utility>

#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// What requests of whole runs cost, of which some come once. docs/models/cost.md, eq. 6.
namespace run_requests_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

namespace {

// USD of one of 10,000 that cost 4 USD.
constexpr double kEach = 4.0 / 10000.0;

Component bucket(const char* id) {
  return component(Role::storage, "s3", id,
                   {{"first_byte", "1 ms"},
                    {"first_byte_spread", "1"},
                    {"prefixes", "100"},
                    {"request.get.price", "0.4 USD"},
                    {"request.put.price", "0.4 USD"}});
}

// 100 steps of 100 ms stand for 100,000: 1,000 epochs of 3,200 samples. Hosts cost 8 USD/h.
Design paid(std::vector<Component> stages, const char* of) {
  Design design = with_job(std::move(stages));
  for (Component& storage : design.storage)
    if (storage.id == of) storage = bucket(of);
  set(design.hosts[0], Role::host, "rent", "2 USD/h");
  set(design.jobs[0].job, Role::job, "run.steps", "100000");
  return design;
}

/// Requests that a whole run pays for.
double requests(const RunResult& result, const std::string& job = "train") {
  const double hours = metric(result, "job." + job + ".run.time") / 3600.0;
  return (metric(result, "job." + job + ".run.cost") - metric(result, "cost.hourly") * hours) /
         kEach;
}

}  // namespace

TEST_CASE("a cache is filled once in a whole run, however many epochs it has") {
  Design design = paid({}, "near");
  set(design.hosts[0], Role::host, "count", "1");
  set(design.jobs[0].job, Role::job, "epochs", "2");
  set(design.jobs[0].job, Role::job, "run.steps", "400000");  // 400 an epoch
  set(*design.jobs[0].dataset, Role::dataset, "cache.policy", "pinned");
  set(*design.jobs[0].dataset, Role::dataset, "cache.size", "3.2 GB");
  CHECK(requests(run(design)) == Approx(3200.0).epsilon(1e-6));
  // Half of it: the first of 1,000 epochs misses all, the others half.
  set(*design.jobs[0].dataset, Role::dataset, "cache.size", "1.6 GB");
  CHECK(requests(run(design)) == Approx(3200.0 + 999.0 * 1600.0).epsilon(1e-6));
}

TEST_CASE("what a stage copies from an object store is paid for once") {
  for (const char* when : {"done", "streaming"}) {
    Design design = paid({copy("bring", {{"files", "3200"}, {"file", "1 MB"}})}, "lake");
    set(design.stages[0], Role::stage, "when", when);
    set(design.jobs[0].job, Role::job, "after", "bring");
    const RunResult result = run(design);
    CHECK(requests(result) == Approx(3200.0).epsilon(1e-6));
    CHECK(metric(result, "cost.requests") ==
          Approx(3200.0 * kEach / (metric(result, "job.train.run.time") / 3600.0)));
  }
}

TEST_CASE("jobs in a row pay together for what comes once") {
  Design design = paid({copy("bring", {{"files", "3200"}, {"file", "1 MB"}})}, "lake");
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "tune";
  set(design.jobs[1].job, Role::job, "after", "train");
  const RunResult result = run(design);
  CHECK(requests(result) + requests(result, "tune") == Approx(3200.0).epsilon(1e-6));
}

TEST_CASE("what a restart reads again is paid for once, with the steps that were lost") {
  Design design = paid({}, "near");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "near"}, {"size", "1 MB"}, {"every_steps", "20"}});
  design.jobs[0].recovery =
      component(Role::recovery, "restart", "recovery", {{"detect", "1 s"}, {"start", "3 s"}});
  const double without = requests(run(design));
  design.failures.push_back(
      component(Role::failure, "process", "crash", {{"at", "5 s"}, {"hosts", "gpu"}}));
  const double more = requests(run(design)) - without;
  // 32 ranks restore a file each; up to twenty steps of 32 samples are lost, and up to as many that
  // loaders had asked for ahead.
  CHECK(more > 32.0);
  CHECK(more < 32.0 * (1.0 + 20.0 + 20.0));
}

TEST_CASE("as many saves are paid for as a whole run has time for") {
  // An interval of 60 s comes before each, so that ten minutes have nine.
  const auto of = [](const char* window) {
    Design design = paid({}, "near");
    design.jobs[0].dataset.reset();
    design.jobs[0].loader.reset();
    design.jobs[0].job.values.erase("epochs");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "near"}, {"size", "64 GB"}, {"every", "60 s"}});
    set(design.run, Role::run, "duration", window);
    return run(design);
  };
  const RunResult shorter = of("10 min"), longer = of("100 min");
  CHECK(metric(shorter, "job.train.checkpoint.owed") > 0.0);
  CHECK(requests(shorter) == Approx(requests(longer)).epsilon(2e-3));
}

}  // namespace run_requests_test
