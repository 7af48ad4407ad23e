#include <catch2/catch.hpp>
#include <string>

#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"

/// Who has how much of a line of requests that is busy all the time: as many as have a request in
/// it, however many they ask for at a time. docs/models/dataloader.md, "grain".
namespace line_shares_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

/// 16 ranks of 8 workers that read small files as quickly as they come.
JobDesign greedy(JobDesign job, const char* id, const char* hosts, const char* batch) {
  job.job.id = id;
  set(job.job, Role::job, "hosts", hosts);
  set(job.step, Role::step, "compute", "1 ms");
  set(job.step, Role::step, "jitter", "1 %");
  job.dataset = component(Role::dataset, "raw", "",
                          {{"on", "scratch"}, {"sample", "100 kB"}, {"samples", "100000000"}});
  job.loader = component(Role::loader, "pytorch", "", {{"workers", "8"}, {"batch", batch}});
  return job;
}

/// A job with batches of 4 beside one with batches of `batch`, for `duration`: `busy` is, and each
/// reads `rate` samples a second, within `share`.
void check_shares(Design design, const char* batch, const char* duration, const char* busy,
                  double rate, double share) {
  INFO(batch);
  set(design.hosts[0], Role::host, "count", "2");
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
  const JobDesign job = design.jobs[0];
  design.jobs = {greedy(job, "small", "gpu", "4"), greedy(job, "large", "other", batch)};
  set(design.run, Role::run, "duration", duration);
  const RunResult result = run(design);
  CHECK(metric(result, busy) > 0.98);
  for (const char* id : {"small", "large"})
    CHECK(metric(result, "job." + std::string(id) + ".throughput.samples") ==
          Approx(rate).epsilon(share));
}

}  // namespace

TEST_CASE("jobs share a metadata server by their workers, whatever their batches are") {
  Design design = small_design();
  set(design.storage[0], Role::storage, "mdt.open", "20 kops/s");
  for (const char* batch : {"16", "256"})
    check_shares(design, batch, "30 s", "resource.storage.scratch.mdt.utilization", 10e3, 0.12);
}

TEST_CASE(
    "jobs share the prefixes of an object store by their workers, whatever their batches are") {
  Design design = small_design();
  design.storage[0] = component(Role::storage, "s3", "scratch", {{"get.rate", "5000/s"}});
  for (const char* batch : {"16", "256"})
    check_shares(design, batch, "150 s", "resource.storage.scratch.prefixes.get.utilization", 2.5e3,
                 0.15);
}

// 192 workers and 256 requests of fio, one each in line; an open and a read of an NFS file of
// 500 kB take so many operations that fio has 256 / 448 of them.
TEST_CASE("workers and tenants share a filer by their requests in flight") {
  Design design = small_design();
  design.hosts.push_back(component(Role::host, "host", "io", {{"count", "2"}, {"gpus", "0"}}));
  design.storage[0] = filer_of_one_head({{"head.ops", "52 kops/s"}, {"client.nconnect", "8"}});
  JobDesign& job = design.jobs[0];
  job = greedy(job, "train", "gpu", "32");
  set(*job.dataset, Role::dataset, "sample", "500 kB");
  set(*job.loader, Role::loader, "workers", "6");
  design.tenants.push_back(component(Role::tenant, "fio", "fio",
                                     {{"hosts", "io"},
                                      {"on", "scratch"},
                                      {"rw", "randread"},
                                      {"bs", "4 KiB"},
                                      {"numjobs", "8"},
                                      {"iodepth", "16"},
                                      {"direct", "true"}}));
  set(design.run, Role::run, "duration", "30 s");
  const RunResult result = run(design);
  CHECK(metric(result, "tenant.fio.operations") == Approx(52e3 * 256 / 448).epsilon(0.05));
  CHECK(metric(result, "tenant.fio.latency") == Approx(448 / 52e3).epsilon(0.05));
}

}  // namespace line_shares_test
