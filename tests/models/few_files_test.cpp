#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/designs.hpp"

/// Data in fewer files than there are targets: docs/models/storage.md, eq. 5.
namespace few_files_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

struct Kind {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
};
// Eight targets of 1 GB/s each, a file on one of them.
const Kind kKinds[] = {
    {"lustre", {{"ost.count", "8"}, {"ost.read", "1 GB/s"}, {"ost.write", "1 GB/s"}}},
    {"beegfs", {{"target.count", "8"}, {"target.read", "1 GB/s"}, {"target.write", "1 GB/s"}}},
    {"chunkstore",
     {{"node.count", "8"},
      {"node.targets", "1"},
      {"node.read", "1 GB/s"},
      {"node.write", "1 GB/s"},
      {"replicas", "1"}}}};

Component storage(const Kind& kind, const char* stripes) {
  Component out = component(Role::storage, kind.name, "scratch", {{"stripe.count", stripes}});
  for (const auto& [key, value] : kind.settings) set(out, Role::storage, key, value);
  return out;
}

// 100,000 samples of 1 MiB, as quickly as they come.
double read_by_a_job(const Kind& kind, const char* stripes, const char* in_file) {
  Design design = small_design();
  design.storage[0] = storage(kind, stripes);
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  design.jobs[0].dataset = component(Role::dataset, "tfrecord", "",
                                     {{"on", "scratch"},
                                      {"sample", "1 MiB"},
                                      {"samples", "100000"},
                                      {"samples_per_file", in_file}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "", {{"workers", "8"}, {"batch", "8"}});
  return metric(run(design), "job.train.throughput.bytes");
}

double moved_by_fio(const Kind& kind, const char* stripes, const char* pattern) {
  Design design = small_design();
  design.storage[0] = storage(kind, stripes);
  design.jobs.clear();
  set(design.hosts[0], Role::host, "count", "1");
  design.tenants.push_back(component(Role::tenant, "fio", "x",
                                     {{"on", "scratch"},
                                      {"hosts", "gpu"},
                                      {"rw", pattern},
                                      {"bs", "1 MiB"},
                                      {"direct", "true"},
                                      {"iodepth", "256"}}));
  set(design.run, Role::run, "duration", "20 s");
  return metric(run(design), std::string("tenant.x.") + pattern);
}

}  // namespace

// c b of one file on c targets, whoever reads it.
TEST_CASE("one file is read from the targets that it lies on") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    const double one = read_by_a_job(kind, "1", "100000");
    CHECK(one <= 1e9 * 1.001);
    CHECK(one >= 0.9e9);
    CHECK(read_by_a_job(kind, "2", "100000") <= 2e9 * 1.001);
    CHECK(read_by_a_job(kind, "0", "100000") > 4e9);
  }
}

// As many on each target in turn.
TEST_CASE("the more files there are the more is read, up to what many give") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    double last = 0.0;
    for (const char* in_file : {"50000", "25000", "12500", "6250", "1250", "100"}) {
      INFO(in_file);
      const double next = read_by_a_job(kind, "1", in_file);
      CHECK(next >= last * 0.999);
      last = next;
    }
    CHECK(last == Approx(read_by_a_job(kind, "1", "10")).epsilon(0.03));
  }
}

TEST_CASE("a process of fio reads and writes one file") {
  for (const Kind& kind : kKinds)
    for (const char* pattern : {"read", "write"}) {
      INFO(kind.name << " " << pattern);
      CHECK(moved_by_fio(kind, "1", pattern) == Approx(1e9).epsilon(0.02));
      CHECK(moved_by_fio(kind, "0", pattern) > 4e9);
    }
}

// 100 GB of one file at 1 GB/s, and in ten files on eight targets in turn, two on the fullest.
TEST_CASE("a stage reads one file from its targets") {
  const auto scan = [](const char* file) {
    Design design = small_design();
    design.storage[0] = storage(kKinds[0], "1");
    design.jobs.clear();
    design.stages.push_back(
        component(Role::stage, "scan", "look",
                  {{"from", "scratch"}, {"hosts", "gpu"}, {"size", "100 GB"}, {"file", file}}));
    return metric(run(design), "stage.look.time");
  };
  CHECK(scan("100 GB") == Approx(100.0).epsilon(0.02));
  CHECK(scan("50 GB") == Approx(50.0).epsilon(0.02));
  CHECK(scan("1 MB") == Approx(12.5).epsilon(0.1));
}

}  // namespace few_files_test
