#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// One GPU that reads 100 MB a step of 100 ms from a Lustre without latency, CPU or handover cost,
// so that only the stream rate matters: 1 GB/s is demanded.
Design reader(const char* workers, const char* prefetch, const char* stream) {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "1");
  set(design.hosts[0], Role::host, "gpus", "1");
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "ost.service", "0 s");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000 Mops/s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", stream);
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"},
                                      {"sample", "100 MB"},
                                      {"samples", "1000000"},
                                      {"parse", "1000000 TB/s"},
                                      {"parse_fixed", "0 s"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader",
                                    {{"workers", workers},
                                     {"prefetch", prefetch},
                                     {"start", "0 s"},
                                     {"handover", "0 s"},
                                     {"copy", "none"},
                                     {"batch", "1"}});
  return design;
}

}  // namespace

TEST_CASE("without workers loading and computing take turns") {
  // t = 100 MB / 0.5 GB/s + 100 ms = 300 ms
  CHECK(metric(run(reader("0", "1", "0.5 GB/s")), "job.train.step.time") ==
        Approx(0.3).epsilon(1e-6));
}

TEST_CASE("one worker overlaps: a step takes the longer of load and compute") {
  // 200 ms a batch against 100 ms of compute: the index of the next batch is issued when one is
  // consumed, so the load runs beside the compute and sets the pace, whatever the prefetch depth
  CHECK(metric(run(reader("1", "1", "0.5 GB/s")), "job.train.step.time.p50") ==
        Approx(0.2).epsilon(1e-6));
  CHECK(metric(run(reader("1", "4", "0.5 GB/s")), "job.train.step.time.p50") ==
        Approx(0.2).epsilon(1e-6));
}

TEST_CASE("with one index outstanding the worker idles while the batch is handed over") {
  // prefetch 1: the hand-over of 50 ms begins after the next index is issued, so it is hidden;
  // a step is max(200, 50 + 100) ms
  Design design = reader("1", "1", "0.5 GB/s");
  set(design.jobs[0].loader.value(), Role::loader, "handover", "50 ms");
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.2).epsilon(1e-6));
  // and with a faster stream it is exposed: max(50, 50 + 100) ms
  Design fast = reader("1", "1", "2 GB/s");
  set(fast.jobs[0].loader.value(), Role::loader, "handover", "50 ms");
  CHECK(metric(run(fast), "job.train.step.time.p50") == Approx(0.15).epsilon(1e-6));
}

TEST_CASE("enough workers hide the load and utilization is one but for the first batch") {
  const RunResult result = run(reader("4", "2", "0.5 GB/s"));
  CHECK(metric(result, "job.train.step.time.p50") == Approx(0.1).epsilon(1e-6));
  CHECK(metric(result, "job.train.first_batch") == Approx(0.2).epsilon(1e-6));
  CHECK(metric(result, "job.train.stall.data") == Approx(0.2 / 60.2).epsilon(0.01));
}

TEST_CASE("waiting for data is blamed on the stream limit when the stream limits") {
  const RunResult result = run(reader("1", "2", "0.5 GB/s"));
  for (const ResourceUse& use : result.resources)
    if (use.name == "storage.scratch.client.stream")
      CHECK(use.blamed_share == Approx(1.0).epsilon(0.01));
}

TEST_CASE("a storage-bound job reads at the rate of the storage") {
  // 8 OSTs x 4 GB/s, all hosts' NICs wider; 4 hosts x 8 GPUs demand 32 GPUs x 2 GB / 100 ms = 640
  // GB/s
  Design design = reader("4", "2", "100 GB/s");
  set(design.hosts[0], Role::host, "count", "4");
  set(design.hosts[0], Role::host, "gpus", "8");
  set(design.hosts[0], Role::host, "cpu.cores", "10000");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "2 GB");
  set(design.run, Role::run, "duration", "2000 s");  // the first fill of all queues takes 16 s
  const RunResult result = run(design);
  CHECK(metric(result, "resource.storage.scratch.ost.throughput") == Approx(32e9).epsilon(0.02));
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(32.0 / 640.0).epsilon(0.02));
}

TEST_CASE("more samples a batch than groups read the same bytes and files") {
  Design design = reader("2", "2", "10 GB/s");
  set(design.jobs[0].dataset.value(), Role::dataset, "sample", "1 MB");
  set(design.jobs[0].loader.value(), Role::loader, "batch", "100");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.throughput.samples") == Approx(1000.0).epsilon(0.01));
  CHECK(metric(result, "job.train.throughput.bytes") == Approx(1e9).epsilon(0.01));
}

TEST_CASE("more processes than cores share them") {
  // 8 GPUs x (4 + 1) processes on 10 cores; each batch needs 1 core-second, so 10 batches a second
  // at most: 8 GPUs get 1.25 steps a second each.
  Design design = reader("4", "2", "100 GB/s");
  set(design.hosts[0], Role::host, "gpus", "8");
  set(design.hosts[0], Role::host, "cpu.cores", "10");
  set(design.jobs[0].dataset.value(), Role::dataset, "decode", "1 s");
  set(design.run, Role::run, "duration", "400 s");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.step.time") == Approx(0.8).epsilon(0.02));
  CHECK(metric(result, "job.train.stall.cpu") > 0.8);
}

TEST_CASE("tf.data loads one batch with all its threads") {
  // 4 threads at 0.5 GB/s load 4 samples of 100 MB together in 200 ms, so the first batch is there
  // after 200 ms; PyTorch's worker reads them one after the other: 800 ms
  Design design = reader("4", "2", "0.5 GB/s");
  set(design.jobs[0].loader.value(), Role::loader, "batch", "4");
  CHECK(metric(run(design), "job.train.first_batch") == Approx(0.8).epsilon(1e-6));
  design.jobs[0].loader->kind = "tensorflow";
  CHECK(metric(run(design), "job.train.first_batch") == Approx(0.2).epsilon(1e-6));
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.2).epsilon(1e-6));
}
