#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/designs.hpp"

/// Shares and limits of jobs: docs/models/tenants.md, eq. 8 and 10.
namespace job_qos_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks of 8 workers that compute next to nothing read samples of 1 MB from a filer of 2 GB/s.
JobDesign reading(const Design& design, const char* id) {
  JobDesign job = design.jobs[0];
  job.job.id = id;
  set(job.step, Role::step, "compute", "1 ms");
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "store"}, {"sample", "1 MB"}, {"samples", "100000000"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "8"}});
  return job;
}

Design busy() {
  Design design = small_design();
  design.storage = {component(Role::storage, "nfs", "store",
                              {{"head.count", "1"},
                               {"head.read", "2 GB/s"},
                               {"head.write", "2 GB/s"},
                               {"head.ops", "1000 kops/s"},
                               {"head.service", "10 us"},
                               {"client.connection", "10 GB/s"},
                               {"client.read_ahead", "1 GiB"},
                               {"client.stream", "10 GB/s"},
                               {"client.nconnect", "16"}})};
  design.jobs = {reading(design, "a")};
  set(design.run, Role::run, "duration", "60 s");
  return design;
}

double rate(const RunResult& result, const char* job) {
  return metric(result, "job." + std::string(job) + ".throughput.bytes");
}

}  // namespace

TEST_CASE("a job moves no more than its limit, and is told what limits it") {
  Design design = busy();
  CHECK(rate(run(design), "a") == Approx(2e9).epsilon(0.02));
  set(design.jobs[0].job, Role::job, "limit", "500 MB/s");
  const RunResult result = run(design);
  CHECK(rate(result, "a") == Approx(5e8).epsilon(0.02));
  const auto limit = std::find_if(result.resources.begin(), result.resources.end(),
                                  [](const ResourceUse& use) { return use.name == "job.a.limit"; });
  REQUIRE(limit != result.resources.end());
  CHECK(limit->capacity == Approx(5e8));
  CHECK(limit->utilization() == Approx(1.0).epsilon(0.02));
}

TEST_CASE("a limit of one job leaves the rest to the others, and a share divides it") {
  Design design = busy();
  design.jobs.push_back(reading(design, "b"));
  const RunResult even = run(design);
  CHECK(rate(even, "a") == Approx(rate(even, "b")).epsilon(0.02));
  set(design.jobs[1].job, Role::job, "limit", "400 MB/s");
  const RunResult held = run(design);
  CHECK(rate(held, "b") == Approx(4e8).epsilon(0.03));
  CHECK(rate(held, "a") == Approx(1.6e9).epsilon(0.03));
  design = busy();
  design.jobs.push_back(reading(design, "b"));
  set(design.jobs[0].job, Role::job, "share", "3");
  const RunResult weighted = run(design);
  CHECK(rate(weighted, "a") == Approx(3.0 * rate(weighted, "b")).epsilon(0.05));
}

TEST_CASE("a job begins no more operations than its limit, and is told what limits it") {
  // A sample of 1 MB is an open and a request: 500 a second at 1000; of 20 MB an open and 4.77
  Design design = busy();
  set(design.jobs[0].job, Role::job, "limit_operations", "1 kops/s");
  const RunResult result = run(design);
  CHECK(rate(result, "a") == Approx(500e6).epsilon(0.02));
  CHECK(result.limited_by.at("job.a") == "job.a.limit_operations");
  const auto limit =
      std::find_if(result.resources.begin(), result.resources.end(),
                   [](const ResourceUse& use) { return use.name == "job.a.limit_operations"; });
  REQUIRE(limit != result.resources.end());
  CHECK(limit->unit == "1/s");
  CHECK(limit->utilization() == Approx(1.0).epsilon(0.02));
  set(*design.jobs[0].dataset, Role::dataset, "sample", "20 MB");
  set(design.jobs[0].job, Role::job, "limit_operations", "400 ops/s");
  set(design.run, Role::run, "duration", "10 min");  // all workers begin at once
  CHECK(rate(run(design), "a") == Approx(400.0 / (1.0 + 20e6 / 4194304.0) * 20e6).epsilon(0.02));
}

TEST_CASE("saves are held to the operations of their job, too") {
  // 32 files of 1 GB: each an open and 238.4 requests, of which 1000 a second begin: 7.66 s, while
  // the data take 16 s at 2 GB/s.
  Design design = busy();
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "store"}, {"every_steps", "10"}, {"size", "32 GB"}, {"serializer", "none"}});
  const auto save = [&] { return metric(run(design), "job.a.checkpoint.duration"); };
  const double free = save();
  set(design.jobs[0].job, Role::job, "limit_operations", "1 kops/s");
  CHECK(save() == Approx(free));
  // The data take longer than their turn; at a tenth of the rate it is the other way round.
  const auto limit = [&] { return run(design).limited_by.at("job.a.checkpoint.duration"); };
  CHECK(limit().starts_with("storage.store"));
  set(design.jobs[0].job, Role::job, "limit_operations", "100 ops/s");
  set(design.run, Role::run, "duration", "10 min");
  CHECK(limit() == "job.a.limit_operations");
  CHECK(save() == Approx(32.0 * (1.0 + 1e9 / 4194304.0) / 100.0).epsilon(0.001));
}

TEST_CASE("samples of a job that may begin enough operations come as without a limit") {
  // 2 GB/s of samples of 20 MB: 577 opens and requests a second.
  Design design = busy();
  set(*design.jobs[0].dataset, Role::dataset, "sample", "20 MB");
  set(design.run, Role::run, "duration", "10 min");
  const double free = rate(run(design), "a");
  set(design.jobs[0].job, Role::job, "limit_operations", "600 ops/s");
  const RunResult result = run(design);
  CHECK(rate(result, "a") == Approx(free).epsilon(0.01));
  CHECK(result.limited_by.at("job.a") != "job.a.limit_operations");
}

TEST_CASE("a job of a higher class reads as if it were alone") {
  Design design = busy();
  const double alone = rate(run(design), "a");
  design.jobs.push_back(reading(design, "b"));
  set(design.jobs[0].job, Role::job, "priority", "high");
  set(design.jobs[1].job, Role::job, "share", "8");
  const RunResult result = run(design);
  CHECK(rate(result, "a") == Approx(alone).epsilon(0.03));
  set(design.jobs[1].job, Role::job, "priority", "high");  // one class: shares divide it again
  const RunResult same = run(design);
  CHECK(rate(same, "b") == Approx(8.0 * rate(same, "a")).epsilon(0.05));
}

TEST_CASE("saves cross the limit as reads do") {
  Design design = busy();
  design.jobs[0].dataset.reset();
  design.jobs[0].loader.reset();
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "store"}, {"every", "20 s"}, {"size", "4 GB"}, {"serializer", "none"}});
  const double free = metric(run(design), "job.a.checkpoint.duration");
  set(design.jobs[0].job, Role::job, "limit", "500 MB/s");
  const double held = metric(run(design), "job.a.checkpoint.duration");
  CHECK(free == Approx(2.0).epsilon(0.05));
  CHECK(held == Approx(8.0).epsilon(0.02));
}

TEST_CASE("limits of a job hold what it moves on storage that hosts share without the fabric") {
  // At 500 MB/s a save of 4 GB takes 8 s; 500 samples of 1 MB a second are 1000 opens and requests.
  const Component shared[] = {component(Role::storage, "cxl", "store", {{"device.count", "4"}}),
                              component(Role::storage, "measured", "store",
                                        {{"scope", "shared"},
                                         {"servers", "64"},
                                         {"read.latency", "1 us"},
                                         {"read.rate", "5 GB/s"},
                                         {"write.latency", "1 us"},
                                         {"write.rate", "5 GB/s"},
                                         {"open.latency", "1 us"},
                                         {"create.latency", "1 us"}})};
  for (const Component& store : shared) {
    CAPTURE(store.kind);
    Design design = busy();
    design.storage = {store};
    const Design free = design;
    set(design.jobs[0].job, Role::job, "limit", "500 MB/s");
    CHECK(rate(run(design), "a") == Approx(5e8).epsilon(0.02));
    CHECK(run(design).limited_by.at("job.a") == "job.a.limit");
    design.jobs[0].dataset.reset();
    design.jobs[0].loader.reset();
    design.jobs[0].checkpoint =
        component(Role::checkpoint, "sync", "checkpoint",
                  {{"to", "store"}, {"every", "20 s"}, {"size", "4 GB"}, {"serializer", "none"}});
    CHECK(metric(run(design), "job.a.checkpoint.duration") == Approx(8.0).epsilon(0.02));
    design = free;
    set(design.jobs[0].job, Role::job, "limit_operations", "1 kops/s");
    CHECK(rate(run(design), "a") == Approx(5e8).epsilon(0.02));
    CHECK(run(design).limited_by.at("job.a") == "job.a.limit_operations");
  }
}

TEST_CASE(
    "priority leaves a class below a thousandth of what both want, and all that is not wanted") {
  // Both want all of 2 GB/s, with as many processes. With a limit the first leaves the rest.
  Design design = busy();
  design.jobs.push_back(reading(design, "b"));
  set(design.jobs[0].job, Role::job, "priority", "high");
  const RunResult first = run(design);
  CHECK(rate(first, "a") == Approx(2e9).epsilon(0.02));
  CHECK(rate(first, "b") <= 2e9 / 1001);  // of which what is not whole yet does not count
  set(design.jobs[0].job, Role::job, "limit", "500 MB/s");
  const RunResult both = run(design);
  CHECK(rate(both, "a") == Approx(5e8).epsilon(0.02));
  CHECK(rate(both, "b") == Approx(1.5e9).epsilon(0.02));
}

}  // namespace job_qos_test
