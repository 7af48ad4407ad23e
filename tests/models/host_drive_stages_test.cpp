#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/bounds/space.hpp"
#include "models/stage/graph.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// docs/models/stages.md, eq. 8.
namespace host_drive_stages_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

namespace {

// From a filer of 5 GB/s to fast drives inside the 4 hosts of the job.
Design staged_in(std::vector<Component> stages, const char* read_from) {
  Design design = with_job(std::move(stages));
  design.storage.push_back(
      component(Role::storage, "local", "drives", {{"drive.size", "9 TB"}, {"drive.count", "4"}}));
  set(*design.jobs[0].dataset, Role::dataset, "on", read_from);
  return design;
}

Component to_drives(const char* id, const char* hosts = "gpu") {
  return copy(id, {{"to", "drives"}, {"size", "5 TB"}, {"hosts", hosts}});
}

Bytes stored(const Design& design) {
  for (const models::Room& room : models::spaces(design))
    if (room.storage == "drives") return room.needed();
  return {};
}

}  // namespace

TEST_CASE("what a job reads on drives of hosts is written in full to each of them") {
  // 4 x 5 TB of 5 GB/s
  const Design design = staged_in({to_drives("in")}, "drives");
  const RunResult result = run(design);
  CHECK(of_stage(result, "in.time") == Approx(4000.0).epsilon(kCoarse));
  CHECK(of_stage(result, "in.read") == Approx(2e13));
  CHECK(of_stage(result, "in.written") == Approx(2e13));
}

TEST_CASE("hosts that differ each get all of what the job reads") {
  Design design = staged_in({to_drives("in")}, "drives");
  set(design.hosts[0], Role::host, "slow.count", "1");
  set(design.hosts[0], Role::host, "slow.nic", "1 %");
  const RunResult result = run(design);
  // The slow one reads its 5 TB by its own NIC when the others are done.
  const double nic = design.hosts[0].find("nic.rate")->number * 0.01;
  CHECK(of_stage(result, "in.time") >= std::max(4000.0, 5e12 / nic) * (1.0 - kCoarse));
}

TEST_CASE("what no job reads on drives of hosts is shared out among them") {
  const Component out =
      copy("out", {{"from", "drives"}, {"to", "far"}, {"hosts", "gpu"}, {"after", "in"}});
  const Design design = staged_in({to_drives("in"), out}, "lake");
  const RunResult result = run(design);
  CHECK(of_stage(result, "in.time") == Approx(1000.0).epsilon(kCoarse));
  CHECK(of_stage(result, "out.read") == Approx(5e12));
  CHECK(stored(design).in(unit::B) == Approx(5e12 / 4.0));  // of each host
}

TEST_CASE("each host has all of what it makes all of a data set from") {
  // Where what came first is made into what the job reads, both are there in full.
  Component make = copy("make", {{"from", "first"}, {"to", "drives"}, {"hosts", "gpu"}});
  set(make, Role::stage, "after", "in");
  Component in = to_drives("in");
  set(in, Role::stage, "to", "first");
  Design design = staged_in({in, make}, "drives");
  design.storage.push_back(design.storage.back());
  design.storage.back().id = "first";
  const std::vector<models::StageNode> nodes = models::stage_graph(design);
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].read.in(unit::B) == Approx(2e13));
  CHECK(nodes[1].read.in(unit::B) == Approx(2e13));
  // ... and is read once, where it goes to a place for all.
  design.stages[1] = copy("out", {{"from", "first"}, {"to", "far"}, {"hosts", "gpu"}});
  set(design.stages[1], Role::stage, "after", "in");
  set(*design.jobs[0].dataset, Role::dataset, "on", "first");
  for (const models::StageNode& node : models::stage_graph(design))
    if (node.id == "out") CHECK(node.read.in(unit::B) == Approx(5e12));
}

TEST_CASE("drives of other hosts are out of reach") {
  std::vector<models::StageFault> faults;
  const Design brings = staged_in({to_drives("in", "mover")}, "drives");
  CHECK(models::stage_graph(brings, &faults).empty());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].what == models::StageFault::What::other_hosts);
  CHECK(faults[0].component->id == "in");
  CHECK(faults[0].hosts == "gpu");
  // Nor does an archive read what is on those of the job.
  const Design reads =
      staged_in({copy("out", {{"from", "drives"}, {"to", "far"}, {"size", "1 TB"}})}, "drives");
  CHECK(models::stage_graph(reads, &faults).empty());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].component->id == "out");
  CHECK(faults[0].name == "train");
}

}  // namespace host_drive_stages_test
