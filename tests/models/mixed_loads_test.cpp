#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"

/// Jobs and tenants that read one storage system in different ways: docs/models/storage.md, eq. 12.
namespace mixed_loads_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

struct Kind {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
};
const Kind kKinds[] = {{"lustre", {{"ost.count", "4"}, {"ost.read", "4 GB/s"}}},
                       {"cephfs", {{"osd.count", "32"}, {"server.count", "4"}}},
                       {"hdfs", {{"datanode.count", "8"}}},
                       {"san", {{"port.count", "8"}, {"array.ops", "50 kops/s"}}},
                       {"daos", {{"server.count", "2"}}},
                       {"beegfs", {{"target.count", "8"}}},
                       {"gpfs", {{"server.count", "8"}}},
                       {"chunkstore", {{"node.count", "8"}}}};

Component reader(const char* sample) {
  return component(
      Role::dataset, "raw", "",
      {{"on", "scratch"}, {"sample", sample}, {"samples", "100000000"}, {"decode", "0 ms"}});
}

Component loader(const char* workers) {
  return component(Role::loader, "pytorch", "", {{"workers", workers}, {"batch", "4"}});
}

// 32 GPUs that read large samples as quickly as they come.
Design large(const Kind& kind) {
  Design design = small_design();
  design.storage[0] = component(Role::storage, kind.name, "scratch", {});
  for (const auto& [key, value] : kind.settings) set(design.storage[0], Role::storage, key, value);
  design.jobs[0].dataset = reader("16 MiB");
  design.jobs[0].loader = loader("4");
  return design;
}

// One GPU of a host of its own that reads next to nothing.
void add_idle(Design& design) {
  design.hosts.push_back(component(Role::host, "host", "lone", {{"count", "1"}, {"gpus", "1"}}));
  JobDesign job = design.jobs[0];
  job.job.id = "idle";
  set(job.job, Role::job, "hosts", "lone");
  set(job.step, Role::step, "compute", "10 s");
  job.dataset = reader("1 KiB");
  job.loader = loader("1");
  design.jobs.push_back(job);
}

}  // namespace

TEST_CASE("a job that hardly reads takes nothing from one that reads much") {
  for (const auto& kind : kKinds) {
    INFO(kind.name);
    Design design = large(kind);
    const double alone = metric(run(design), "job.train.throughput.bytes");
    add_idle(design);
    CHECK(metric(run(design), "job.train.throughput.bytes") == Approx(alone).epsilon(0.02));
  }
}

TEST_CASE("a job that hardly reads takes nothing from a tenant") {
  for (const auto& kind : kKinds) {
    INFO(kind.name);
    Design design = large(kind);
    add_idle(design);
    design.jobs.erase(design.jobs.begin());
    Component fio = component(Role::tenant, "fio", "x",
                              {{"on", "scratch"},
                               {"hosts", "gpu"},
                               {"bs", "1 MiB"},
                               {"numjobs", "16"},
                               {"iodepth", "8"}});
    design.tenants.push_back(fio);
    const double beside = metric(run(design), "tenant.x.read");
    design.jobs.clear();
    set(design.run, Role::run, "duration", "60 s");
    CHECK(beside == Approx(metric(run(design), "tenant.x.read")).epsilon(0.02));
  }
}

TEST_CASE("jobs that read alike share what there is for such reads") {
  Design design = large(kKinds[1]);
  design.jobs[0].dataset = reader("4 KiB");  // 32 OSDs of so many a second each
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  set(*design.jobs[0].loader, Role::loader, "workers", "16");
  set(design.jobs[0].job, Role::job, "accelerators", "16");
  const double alone = metric(run(design), "job.train.throughput.bytes");
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "same";
  const RunResult both = run(design);
  const double sum =
      metric(both, "job.train.throughput.bytes") + metric(both, "job.same.throughput.bytes");
  CHECK(sum <= 32 * 20e3 * 4096 * 1.001);
  CHECK(sum >= alone * 0.99);
}

// One reader a GPU, so that few targets are busy at a time.
TEST_CASE("a tenant that hardly reads gives jobs that share a system nothing") {
  for (const auto& kind : kKinds) {
    INFO(kind.name);
    Design design = large(kind);
    design.jobs[0].loader = loader("1");
    set(design.jobs[0].job, Role::job, "accelerators", "16");
    design.jobs.push_back(design.jobs[0]);
    design.jobs[1].job.id = "same";
    const auto read = [&] {
      const RunResult both = run(design);
      return metric(both, "job.train.throughput.bytes") + metric(both, "job.same.throughput.bytes");
    };
    const double alone = read();
    design.tenants.push_back(component(
        Role::tenant, "inference", "kv",
        {{"on", "scratch"}, {"hosts", "gpu"}, {"rate", "1 ops/s"}, {"request", "4 KiB"}}));
    CHECK(read() ==
          Approx(alone).epsilon(0.03));  // requests of readers beside tenants come one by one
  }
}

TEST_CASE("what reads is counted whoever reads, and with what writes it is all that moves") {
  Design design = large(kKinds[0]);
  set(design.storage[0], Role::storage, "ost.write", "3 GB/s");
  for (const char* way : {"read", "write"})
    design.tenants.push_back(component(
        Role::tenant, "fio", way,
        {{"on", "scratch"}, {"hosts", "gpu"}, {"rw", way}, {"bs", "4 MiB"}, {"numjobs", "16"}}));
  const RunResult result = run(design);
  const auto moved = [&](const std::string& part) {
    return metric(result, "resource.storage.scratch." + part + ".throughput");
  };
  CHECK(moved("ost.read") + moved("ost.write") == Approx(moved("ost")).epsilon(1e-6));
  CHECK(moved("ost.read") ==
        Approx(metric(result, "job.train.throughput.bytes") + metric(result, "tenant.read.read"))
            .epsilon(0.03));
  CHECK(moved("ost.write") == Approx(metric(result, "tenant.write.write")).epsilon(0.03));
  CHECK(metric(result, "resource.storage.scratch.ost.read.utilization") < 1.0);
}

TEST_CASE("what copies and parity take of the media is not there for readers") {
  // Media of 8 GB/s; 1 GB/s is written, `kept` times as many bytes on them; they read the rest.
  struct Case {
    Kind kind;
    double kept;
  };
  const Case cases[] = {
      {{"hdfs",
        {{"datanode.count", "8"},
         {"datanode.disks", "1"},
         {"datanode.service", "0.1 ms"},
         {"datanode.read", "1 GB/s"},
         {"datanode.write", "1 GB/s"},
         {"replicas", "3"}}},
       3.0},
      {{"cephfs",
        {{"osd.count", "8"}, {"osd.read", "1 GB/s"}, {"osd.write", "1 GB/s"}, {"replicas", "3"}}},
       3.0},
      {{"cephfs",
        {{"osd.count", "8"},
         {"osd.read", "1 GB/s"},
         {"osd.write", "1 GB/s"},
         {"code.data", "4"},
         {"code.parity", "2"}}},
       1.5},
      {{"weka",
        {{"backend.count", "8"},
         {"backend.read", "1 GB/s"},
         {"backend.write", "1 GB/s"},
         {"stripe.data", "4"},
         {"stripe.parity", "2"}}},
       1.5},
      {{"chunkstore",
        {{"node.count", "8"},
         {"node.read", "1 GB/s"},
         {"node.write", "1 GB/s"},
         {"replicas", "2"}}},
       2.0}};
  for (const Case& one : cases) {
    INFO(one.kind.name << ", " << one.kept);
    Design design = small_design();
    design.jobs.clear();
    set(design.run, Role::run, "duration", "60 s");
    design.storage[0] = component(Role::storage, one.kind.name, "scratch", {});
    for (const auto& [key, value] : one.kind.settings)
      set(design.storage[0], Role::storage, key, value);
    design.tenants.push_back(component(Role::tenant, "fio", "x",
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"bs", "16 MiB"},
                                        {"numjobs", "64"},
                                        {"iodepth", "1"}}));
    const double alone = metric(run(design), "tenant.x.read");
    design.tenants.push_back(component(Role::tenant, "ingest", "new",
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"rate", "1 GB/s"},
                                        {"file", "16 MiB"},
                                        {"streams", "64"}}));
    const RunResult both = run(design);
    REQUIRE(metric(both, "tenant.new.write") == Approx(1e9).epsilon(0.03));
    const double left = 8e9 - one.kept * 1e9;
    REQUIRE(alone > 1.02 * left);
    CHECK(metric(both, "tenant.x.read") == Approx(left).epsilon(0.02));
  }
}

TEST_CASE("reads and writes of an object store share the drives of its servers") {
  // 2 servers of 4 GB/s in all; what is written there is not read.    [docs/models/s3.md, eq. 9]
  Design design = small_design();
  design.jobs.clear();
  set(design.run, Role::run, "duration", "60 s");
  design.storage[0] = component(Role::storage, "s3", "scratch",
                                {{"server.count", "2"},
                                 {"server.read", "4 GB/s"},
                                 {"server.write", "4 GB/s"},
                                 {"prefixes", "1000"}});
  for (const char* rw : {"read", "write"})
    design.tenants.push_back(component(Role::tenant, "fio", rw,
                                       {{"on", "scratch"},
                                        {"hosts", "gpu"},
                                        {"rw", rw},
                                        {"bs", "16 MiB"},
                                        {"numjobs", "64"},
                                        {"direct", "true"}}));
  const RunResult both = run(design);
  const double sum = metric(both, "tenant.read.read") + metric(both, "tenant.write.write");
  CHECK(sum == Approx(8e9).epsilon(0.03));
}

}  // namespace mixed_loads_test
