#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"

/// Requests that servers answer a second, and time of disks, are those of all who use a storage
/// system: docs/models/storage.md, eq. 14.
namespace shared_work_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

struct Kind {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
  const char* resource;
  const char* part;  ///< to blame
  double most;       ///< reads of 4 KiB a second, of all
  double written;    ///< of them that a write is; 0: not of that sort
};

Component storage(const Kind& kind) {
  Component out = component(Role::storage, kind.name, "scratch", {});
  for (const auto& [key, value] : kind.settings) set(out, Role::storage, key, value);
  return out;
}

Design empty(const Kind& kind) {
  Design design = small_design();
  design.jobs.clear();
  design.storage[0] = storage(kind);
  set(design.run, Role::run, "duration", "60 s");
  return design;
}

Component fio(const char* id, const char* pattern) {
  return component(Role::tenant, "fio", id,
                   {{"on", "scratch"},
                    {"hosts", "gpu"},
                    {"rw", pattern},
                    {"bs", "4 KiB"},
                    {"numjobs", "16"},
                    {"iodepth", "16"},
                    {"direct", "true"}});
}

double operations(const RunResult& result, const std::string& tenant) {
  return metric(result, "tenant." + tenant + ".operations");
}

const Kind kKinds[] = {
    {"san", {{"port.count", "8"}, {"array.ops", "16 kops/s"}}, "array.ops", "array.ops", 16e3, 1.0},
    {"cephfs",
     {{"osd.count", "8"}, {"osd.ops", "2 kops/s"}, {"replicas", "2"}},
     "osd.ops",
     "osd.ops",
     16e3,
     2.0},
    // 2 OSTs of 10 disks, 8 ms and 1 us a request
    {"lustre",
     {{"ost.count", "2"},
      {"ost.read", "4 GB/s"},
      {"ost.write", "4 GB/s"},
      {"ost.seek", "8 ms"},
      {"ost.spindles", "10"}},
     "ost.busy",
     "ost",
     2.0 / 801e-6,
     1.0},
    // 20 disks, 10 ms and 17 us a request; writes do not seek
    {"hdfs",
     {{"datanode.count", "2"}, {"datanode.disks", "10"}, {"datanode.service", "10 ms"}},
     "disk.busy",
     "disk",
     20.0 / 10.017e-3,
     0.0}};

}  // namespace

TEST_CASE("small requests of several tenants are together as many as there are for one") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    Design design = empty(kind);
    for (const char* id : {"a", "b", "c"}) design.tenants.push_back(fio(id, "randread"));
    const RunResult result = run(design);
    for (const char* id : {"a", "b", "c"})
      CHECK(operations(result, id) == Approx(kind.most / 3.0).epsilon(0.04));
    CHECK(metric(result, "resource.storage.scratch." + std::string(kind.resource) +
                             ".utilization") == Approx(1.0).epsilon(0.01));
    CHECK(result.limited_by.at("tenant.a") == "storage.scratch." + std::string(kind.part));
  }
}

TEST_CASE("small reads and writes are together as many as there are for one") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    if (kind.written == 0.0) continue;
    Design design = empty(kind);
    design.tenants = {fio("r", "randread"), fio("w", "randwrite")};
    const RunResult result = run(design);
    CHECK(operations(result, "r") + kind.written * operations(result, "w") ==
          Approx(kind.most).epsilon(0.04));
  }
}

TEST_CASE("a tenant that asks for few requests gets them beside one that takes all others") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    Design design = empty(kind);
    Component few = fio("few", "randread");
    set(few, Role::tenant, "rate_iops", "10 ops/s");  // of 4 hosts x 16 processes
    design.tenants = {few, fio("many", "randread")};
    const RunResult result = run(design);
    CHECK(operations(result, "few") == Approx(640.0).epsilon(0.02));
    CHECK(operations(result, "many") == Approx(kind.most - 640.0).epsilon(0.04));
  }
}

TEST_CASE("a stage reads no more small files a second than there are requests") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    Design design = empty(kind);
    for (const char* key : {"lock.opens", "mds.opens"})
      if (design.storage[0].find(key) != nullptr)
        set(design.storage[0], Role::storage, key, "10000 kops/s");
    const double files = kind.most * 600.0;
    const auto scan = [&](const char* id) {
      Component stage = component(Role::stage, "scan", id,
                                  {{"from", "scratch"},
                                   {"hosts", "gpu"},
                                   {"file", "4 KiB"},
                                   {"chunk", "4 KiB"},
                                   {"workers", "64"}});
      set(stage, Role::stage, "files", std::to_string(static_cast<long>(files)).c_str());
      return stage;
    };
    design.stages = {scan("one")};
    CHECK(metric(run(design), "stage.one.time") == Approx(600.0).epsilon(0.08));
    design.stages.push_back(scan("other"));
    CHECK(metric(run(design), "stage.one.time") == Approx(1200.0).epsilon(0.08));
  }
}

TEST_CASE("a job that reads small files and a tenant take from each other") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    Design design = small_design();
    design.storage[0] = storage(kind);
    JobDesign& job = design.jobs[0];
    set(job.step, Role::step, "compute", "1 ms");
    job.dataset = component(
        Role::dataset, "raw", "",
        {{"on", "scratch"}, {"sample", "4 KiB"}, {"samples", "100000000"}, {"decode", "0 ms"}});
    job.loader = component(Role::loader, "pytorch", "", {{"workers", "16"}, {"batch", "4"}});
    const double alone = metric(run(design), "job.train.throughput.samples");
    design.tenants = {fio("x", "randread")};
    const RunResult both = run(design);
    const double samples = metric(both, "job.train.throughput.samples");
    CHECK(samples < 0.75 * alone);
    CHECK(samples + operations(both, "x") <= kind.most * 1.02);
    CHECK(samples + operations(both, "x") >= kind.most * 0.9);
  }
}

}  // namespace shared_work_test
