#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "models/bounds/rest_of_run.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// docs/models/whole-run.md, burst-credits.md eq. 3.
namespace rest_of_run_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using Catch::Matchers::Contains;
using models::Role;

namespace {

// 10 minutes of a run of 10,000.
Design simulated() {
  Design design = with_job({});
  set(design.jobs[0].job, Role::job, "run.steps", "6000000");
  return design;
}

using Figures = std::map<std::string, Metric>;

std::vector<std::string> warnings(const Design& design, Figures more = {}) {
  more["job.train.time.wall"] = {600.0, "s", {}};
  more["job.train.run.time"] = {600000.0, "s", {}};
  return models::unlike_the_rest(design, more);
}

Component ingest(const char* key, const char* date) {
  return component(Role::tenant, "ingest", "in",
                   {{"on", "far"}, {"hosts", "gpu"}, {"rate", "1 MB/s"}, {key, date}});
}

}  // namespace

TEST_CASE("credits that end within the whole run are told with what it takes without them") {
  const auto used = [](double use, double lasts) {
    return Figures{{"storage.near.credits.use", {use, "ratio", {}}},
                   {"storage.near.credits.lasts", {lasts, "s", {}}}};
  };
  // They are followed to the end of the run, but for flows of the back end.
  CHECK(warnings(simulated(), used(2.5, 4000.0)).empty());
  Design design = simulated();
  set(design.run, Role::run, "backend", "comm");
  // T u / b - C / b = 600000 x 2.5 - 4000 x 1.5 = 1494000 s = 17 d 7 h
  const std::vector<std::string> said = warnings(design, used(2.5, 4000.0));
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("they last 1 h 7 min") && Contains("(6 d 23 h)") &&
                          Contains("17 d 7 h at least"));
  // They last, nothing is left of them from the start, or the job reads elsewhere.
  CHECK(warnings(design, used(2.5, 700000.0)).empty());
  CHECK(warnings(design, used(1.001, 0.2)).empty());
  Design elsewhere = design;
  set(*elsewhere.jobs[0].dataset, Role::dataset, "on", "far");
  CHECK(warnings(elsewhere, used(2.5, 4000.0)).empty());
}

TEST_CASE("what has dates goes on in run.time, and is told") {
  Design design = simulated();
  set(design.hosts[0], Role::host, "slow.count", "1");
  CHECK(warnings(design).empty());
  set(design.hosts[0], Role::host, "slow.until", "5 min");
  REQUIRE(warnings(design).size() == 1);
  CHECK_THAT(warnings(design)[0], Contains("host.gpu.slow: slow from 0 s until 5 min"));
  Design busy = simulated();
  busy.tenants = {ingest("start", "0 s")};
  CHECK(warnings(busy).empty());
  busy.tenants = {ingest("stop", "1 min")};
  REQUIRE(warnings(busy).size() == 1);
  CHECK_THAT(warnings(busy)[0], Contains("tenant.in: at work from 0 s until 60 s"));
}

TEST_CASE("a job that is beside another for more of what was simulated than of its run is told") {
  Design design = simulated();
  const auto beside = [&](double begins, double run, double shown) {
    return warnings(design, {{"job.tune.run.time", {run, "s", {}}},
                             {"job.tune.time.wall", {shown, "s", {}}},
                             {"stage.tune.start", {begins, "s", {}}}});
  };
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "tune";
  // Both go on: side by side in what was simulated, and so are their runs.
  CHECK(beside(0.0, 600000.0, 600.0).empty());
  // It comes when a tenth of the simulation is over, or ends with a tenth of the run.
  design.stages = {component(Role::stage, "train", "tune", {{"job", "tune"}, {"start", "60 s"}})};
  const std::vector<std::string> late = beside(60.0, 600000.0, 600.0);
  REQUIRE(late.size() == 2);
  CHECK_THAT(late[0], Contains("job.tune: beside it from 60 s until") &&
                          Contains("run.time of \"train\"") && Contains("for longer"));
  CHECK(beside(0.0, 60000.0, 600.0).size() == 1);
  // It works with another storage system.
  set(*design.jobs[1].dataset, Role::dataset, "on", "far");
  CHECK(beside(60.0, 600000.0, 600.0).empty());
}

TEST_CASE("saves that fill the storage before the whole run ends are told") {
  // 10 GB of each second, on 1 TB.
  Design design = simulated();
  set(design.storage[1], Role::storage, "capacity.size", "1 TB");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "near"}, {"size", "10 GB"}, {"every_steps", "10"}});
  const std::vector<std::string> said = warnings(design);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("\"near\" is full after") && Contains("takes 6 d 23 h") &&
                          Contains("\"keep\": { \"last\": 3 } of job \"train\""));
  design.expect.emplace_back().that = "storage.near.capacity.full_after >= 1 min";
  CHECK(warnings(design).empty());
  design.expect.clear();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "keep.last", "2");
  CHECK(warnings(design).empty());
}

}  // namespace rest_of_run_test
