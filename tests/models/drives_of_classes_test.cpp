#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/bounds/space.hpp"
#include "models/stage/graph.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// Drives inside hosts are those of the host classes that use them. docs/models/local.md, eq. 10.
namespace drives_of_classes_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

namespace {

// Four hosts read from a drive of 1 GB/s in each, which limits.
Design readers(const char* kind = "local") {
  Design design = small_design();
  const bool local = std::string(kind) == "local";
  design.storage = {local ? component(Role::storage, kind, "ssd",
                                      {{"drive.read", "1 GB/s"}, {"drive.count", "1"}})
                          : component(Role::storage, kind, "ssd",
                                      {{"scope", "host"},
                                       {"read.latency", "100 us"},
                                       {"open.latency", "1 us"},
                                       {"read.rate", "1 GB/s"}})};
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "ssd"}, {"sample", "10 MB"}, {"samples", "1000000"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "4"}});
  return design;
}

void add_class(Design& design, const char* id, const char* count) {
  design.hosts.push_back(component(Role::host, "host", id, {{"count", count}, {"gpus", "8"}}));
}

double use_of_drives(const Design& design) {
  double most = 0.0;
  for (const ResourceUse& use : run(design).resources)
    if (use.name.starts_with("storage.ssd.") && use.capacity > 0.0)
      most = std::max(most, use.throughput / use.capacity);
  return most;
}

// 5 TB on the drives of the hosts of each job, of 8 TB in each.
Design two_jobs() {
  Design design = small_design();
  add_class(design, "other", "4");
  design.storage = {
      component(Role::storage, "local", "ssd",
                {{"drive.size", "4 TB"}, {"drive.count", "2"}, {"endurance.dwpd", "1"}})};
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "ssd"}, {"sample", "1 MB"}, {"size", "5 TB"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}});
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "next";
  set(design.jobs[1].job, Role::job, "hosts", "other");
  return design;
}

models::Room room_of(const Design& design) {
  const std::vector<models::Room> rooms = models::spaces(design);
  REQUIRE(rooms.size() == 1);
  return rooms[0];
}

}  // namespace

TEST_CASE("drives of hosts that use none are no part of what there is") {
  for (const char* kind : {"local", "measured"}) {
    INFO(kind);
    Design design = readers(kind);
    const double alone = use_of_drives(design);
    CHECK(alone > 0.9);
    add_class(design, "idle", "36");
    CHECK(use_of_drives(design) == Approx(alone).epsilon(1e-6));
  }
  // With a tenant there they are.
  Design shared = readers();
  add_class(shared, "idle", "36");
  shared.tenants.push_back(component(Role::tenant, "tracking", "log",
                                     {{"on", "ssd"}, {"hosts", "idle"}, {"writers", "1"}}));
  CHECK(use_of_drives(shared) < 0.2);
  const auto told = [](const Design& design) {
    for (const std::string& warning : run(design).warnings)
      if (warning.find("drives: those in hosts of \"gpu\" are 9") != std::string::npos) return true;
    return false;
  };
  CHECK(told(shared));
  shared.tenants.clear();
  CHECK_FALSE(told(shared));
}

// Four ports of 0.3 GB/s that readers fill, whatever hosts beside them have.
TEST_CASE("ports to a pool are those of hosts that use it") {
  Design design = readers();
  design.storage = {
      component(Role::storage, "cxl", "ssd", {{"device.count", "4"}, {"port.rate", "0.3 GB/s"}})};
  const auto use_of_ports = [&] {
    for (const ResourceUse& use : run(design).resources)
      if (use.name == "storage.ssd.port.read") return use;
    return ResourceUse{};
  };
  const ResourceUse alone = use_of_ports();
  CHECK(alone.capacity == Approx(1.2e9));
  CHECK(alone.throughput > 0.9 * alone.capacity);
  add_class(design, "idle", "12");
  CHECK(use_of_ports().capacity == Approx(1.2e9));
}

TEST_CASE("drives of hosts that use none do not fail more often") {
  Design design = readers();
  design.failures.push_back(component(Role::failure, "storage", "f",
                                      {{"on", "ssd"}, {"part", "target"}, {"mtbf", "1000 d"}}));
  // 1000 d of 4 drives, 60 s down, 1 h rebuilt.
  const double down = 60.0 / (1000.0 * 86400.0 / 4.0 + 60.0 + 3600.0);
  CHECK(metric(run(design), "failure.f.down.share") == Approx(down));
  add_class(design, "idle", "36");
  CHECK(metric(run(design), "failure.f.down.share") == Approx(down));
}

TEST_CASE("what jobs have on drives of different hosts is not added up") {
  Design design = two_jobs();
  CHECK(room_of(design).needed().in(unit::B) == Approx(5e12));
  set(*design.jobs[1].dataset, Role::dataset, "size", "6 TB");
  CHECK(room_of(design).needed().in(unit::B) == Approx(6e12));  // of the fullest
  CHECK(room_of(design).hosts == "other");
  set(design.jobs[1].job, Role::job, "hosts", "gpu");
  CHECK(room_of(design).needed().in(unit::B) == Approx(11e12));
}

TEST_CASE("drives wear, and are full, where most is written") {
  const auto saves = [](JobDesign& job, const char* size) {
    job.dataset.reset();
    job.loader.reset();
    job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                               {{"to", "ssd"}, {"every", "10 min"}, {"size", size}});
  };
  Design design = two_jobs();
  saves(design.jobs[0], "400 GB");
  saves(design.jobs[1], "400 GB");
  const models::Room both = room_of(design);
  Design one = design;
  one.jobs.pop_back();
  CHECK(both.written_whole().value() == Approx(room_of(one).written_whole().value()));
  CHECK(both.full_after()->in(unit::s) == Approx(room_of(one).full_after()->in(unit::s)));
  // Of a class with 5 TB and no saves there is less left, and it is never full.
  design.jobs[1] = two_jobs().jobs[1];
  CHECK(room_of(design).needed().in(unit::B) == Approx(5e12));
  CHECK(room_of(design).full_after()->in(unit::s) ==
        Approx(room_of(one).full_after()->in(unit::s)));
}

TEST_CASE("a job waits for what is brought to the drives of its own hosts") {
  Design design = two_jobs();
  for (const char* id : {"in", "in2"})
    design.stages.push_back(copy(id, {{"to", "ssd"}, {"from", "lake"}, {"size", "5 TB"}}));
  design.storage.push_back(filer("lake"));
  set(design.stages[0], Role::stage, "hosts", "gpu");
  set(design.stages[1], Role::stage, "hosts", "other");
  const std::vector<models::StageNode> nodes = models::stage_graph(design);
  REQUIRE(nodes.size() == 4);
  for (const models::StageNode& node : nodes) {
    if (node.job == nullptr) continue;
    REQUIRE(node.after.size() == 1);
    CHECK(nodes[node.after[0]].id == (node.id == "next" ? "in2" : "in"));
  }
}

}  // namespace drives_of_classes_test
