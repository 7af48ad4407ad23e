#include <catch2/catch.hpp>

#include "models/contract/loader.hpp"
#include "tests/support/designs.hpp"

namespace dataload_test {

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

// The same with `settings` of the loader and a step of `compute`.
Design with(Design design, const Settings& settings, const char* compute = "100 ms") {
  set(design.jobs[0].step, Role::step, "compute", compute);
  for (const auto& [key, text] : settings) set(*design.jobs[0].loader, Role::loader, key, text);
  return design;
}

// 3 tar shards of 10 samples of 100 MB, read once.
Design shards(const char* workers, const char* batch, const char* style) {
  Design design = reader(workers, "2", "0.5 GB/s");
  design.jobs[0].dataset = as_kind(*design.jobs[0].dataset, Role::dataset, "webdataset");
  set(*design.jobs[0].dataset, Role::dataset, "shard", "1 GB");
  set(*design.jobs[0].dataset, Role::dataset, "round_trips", "0");
  set(*design.jobs[0].dataset, Role::dataset, "samples", "30");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  design.run.values.erase("duration");
  return with(std::move(design), {{"style", style}, {"batch", batch}}, "1 ms");
}

double wall(const Design& design) {
  const RunResult result = run(design);
  return metric(result, "job.train.step.time") * metric(result, "job.train.steps");
}

}  // namespace

TEST_CASE("without workers loading and computing take turns") {
  // t = 100 MB / 0.5 GB/s + 100 ms = 300 ms
  CHECK(metric(run(reader("0", "1", "0.5 GB/s")), "job.train.step.time") ==
        Approx(0.3).epsilon(1e-6));
}

TEST_CASE("one worker overlaps: a step takes the longer of load and compute") {
  // 200 ms a batch against 100 ms of compute: the index of the next batch is issued when one is
  // consumed, so the load runs alongside the compute and sets the pace, whatever the prefetch depth
  CHECK(metric(run(reader("1", "1", "0.5 GB/s")), "job.train.step.time.p50") ==
        Approx(0.2).epsilon(1e-6));
  CHECK(metric(run(reader("1", "4", "0.5 GB/s")), "job.train.step.time.p50") ==
        Approx(0.2).epsilon(1e-6));
}

TEST_CASE("with one index outstanding the worker idles while the batch is handed over") {
  // prefetch 1: 35 ms of the hand-over of 50 ms are paid when the batch arrives, before the next
  // index is issued; the rest is hidden: a step is 35 + max(200, 15 + 100) ms
  Design design = reader("1", "1", "0.5 GB/s");
  set(design.jobs[0].loader.value(), Role::loader, "handover", "50 ms");
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.235).epsilon(1e-6));
  // paid when the batch is delivered all of it is hidden
  set(design.jobs[0].loader.value(), Role::loader, "receive.delivery", "100 %");
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.2).epsilon(1e-6));
  // and with a faster stream it is exposed: 35 + max(50, 15 + 100) ms
  Design fast = reader("1", "1", "2 GB/s");
  set(fast.jobs[0].loader.value(), Role::loader, "handover", "50 ms");
  CHECK(metric(run(fast), "job.train.step.time.p50") == Approx(0.15).epsilon(1e-6));
}

TEST_CASE("a hand-over grows with the bytes of the batch where receive.rate says so") {
  // 50 ms and 100 MB at 2 GB/s: a hand-over of 100 ms, 30 ms of it on delivery. 0.5 GB/s: 200 ms to
  // load; a step is 70 + max(200, 30 + 100) ms
  const Design design =
      with(reader("1", "1", "0.5 GB/s"), {{"handover", "50 ms"}, {"receive.rate", "2 GB/s"}});
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.27).epsilon(1e-6));
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
  // at most: 8 GPUs get 1.25 steps a second each. Copies and checksums cost nothing here.
  Design design = reader("4", "2", "100 GB/s");
  set(design.hosts[0], Role::host, "gpus", "8");
  set(design.hosts[0], Role::host, "cpu.cores", "10");
  set(design.hosts[0], Role::host, "cpu.copy", "1000 GB/s");
  set(design.storage[0], Role::storage, "client.checksums", "false");
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
  design.jobs[0].loader = as_kind(*design.jobs[0].loader, Role::loader, "tensorflow");
  set(*design.jobs[0].loader, Role::loader, "iterator", "0 s");
  set(*design.jobs[0].loader, Role::loader, "names", "0 s");
  CHECK(metric(run(design), "job.train.first_batch") == Approx(0.2).epsilon(1e-6));
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.2).epsilon(1e-6));
}

TEST_CASE("a batch that is late holds up those behind it, unless order does not matter") {
  // Sizes vary with CV 0.5. Out of order no worker ever waits, as nothing computes: a batch every
  // E[t] / W = 200 ms / 4. In order, with one batch each, all wait for the slowest of them.
  Design design = reader("4", "1", "0.5 GB/s");
  set(*design.jobs[0].dataset, Role::dataset, "sample_stdev", "50 MB");
  set(design.run, Role::run, "duration", "200 s");
  const double free =
      metric(run(with(design, {{"in_order", "false"}}, "1 ns")), "job.train.step.time");
  const double ordered = metric(run(with(design, {}, "1 ns")), "job.train.step.time");
  CHECK(free == Approx(0.05).epsilon(0.03));
  CHECK(ordered > 1.2 * free);
}

TEST_CASE("order makes no difference when all batches take the same time") {
  for (const char* workers : {"1", "3"})
    CHECK(metric(run(with(reader(workers, "2", "0.5 GB/s"), {{"in_order", "false"}})),
                 "job.train.step.time.p50") ==
          metric(run(reader(workers, "2", "0.5 GB/s")), "job.train.step.time.p50"));
}

TEST_CASE("forked workers start one after the other, in every epoch unless they persist") {
  // 2 x 50 ms, then 200 ms for the first batch
  Design design = with(reader("2", "1", "0.5 GB/s"), {{"start", "50 ms"}});
  set(design.jobs[0].job, Role::job, "epochs", "2");
  set(design.jobs[0].job, Role::job, "steps", "10");
  design.run.values.erase("duration");
  CHECK(metric(run(design), "job.train.first_batch") == Approx(0.3).epsilon(1e-6));
  CHECK(metric(run(with(design, {{"persistent", "true"}})), "job.train.first_batch") ==
        Approx((0.3 + 0.2) / 2.0).epsilon(1e-6));
}

TEST_CASE("spawned workers import everything at the same time, each by itself") {
  // Worker 0 is there after 50 ms, opens 1000 files at 1 ms each and imports for 2 s; then it reads
  // its first batch, 1 ms and 200 ms.
  Design design = with(reader("2", "1", "0.5 GB/s"), {{"start", "50 ms"},
                                                      {"start_method", "spawn"},
                                                      {"import.time", "2 s"},
                                                      {"import.files", "1000"},
                                                      {"import.on", "scratch"}});
  set(*design.jobs[0].dataset, Role::dataset, "round_trips", "0");
  set(design.fabric, Role::fabric, "rtt", "1 ms");
  CHECK(metric(run(design), "job.train.first_batch") ==
        Approx(0.05 + 1.0 + 2.0 + 0.001 + 0.2).epsilon(1e-4));
  design.jobs[0].loader->values.erase("import.on");  // from a local disk only the time is left
  CHECK(metric(run(design), "job.train.first_batch") ==
        Approx(0.05 + 2.0 + 0.001 + 0.2).epsilon(1e-4));
}

TEST_CASE("spawned workers that began together are done together, and then import") {
  // 4 x 1000 files at 10,000 a second are 400 ms for all of them; then 100 MB at 0.5 GB/s.
  Design design =
      with(reader("4", "1", "0.5 GB/s"),
           {{"start_method", "spawn"}, {"import.files", "1000"}, {"import.on", "scratch"}});
  set(design.storage[0], Role::storage, "mdt.open", "10 kops/s");
  set(*design.jobs[0].dataset, Role::dataset, "round_trips", "0");
  for (const auto& [text, time] : {std::pair{"0 s", 0.0}, {"0.2 s", 0.2}, {"2 s", 2.0}}) {
    CAPTURE(text);
    CHECK(metric(run(with(design, {{"import.time", text}})), "job.train.first_batch") ==
          Approx(0.4 + time + 0.2).epsilon(0.003));
  }
}

TEST_CASE("a thread that pins memory hides its share of the hand-over and is a stage of its own") {
  // Of the 20 ms half is left: 10 + 100 ms a step. A copy at 0.5 GB/s takes 200 ms, and with the
  // other 10 ms that is a step.
  const Design design = with(reader("8", "2", "0.5 GB/s"), {{"handover", "20 ms"}});
  CHECK(metric(run(design), "job.train.step.time.p50") == Approx(0.12).epsilon(1e-6));
  const Design pinned = with(design, {{"pin_memory", "true"}, {"pin.takes", "50 %"}});
  CHECK(metric(run(pinned), "job.train.step.time.p50") == Approx(0.11).epsilon(1e-6));
  CHECK(metric(run(with(pinned, {{"pin.rate", "0.5 GB/s"}})), "job.train.step.time.p50") ==
        Approx(0.21).epsilon(1e-6));
  // Without workers the training process itself copies: 200 + 20 + 100 ms
  CHECK(metric(run(with(reader("0", "1", "0.5 GB/s"), {{"pin_memory", "true"}})),
               "job.train.step.time.p50") == Approx(0.32).epsilon(1e-6));
}

TEST_CASE("a training loop that waits while workers never rest does not wait for pinning") {
  // Two workers bring two batches every 200 ms, each is pinned in 40 ms: of 200 ms the loop
  // computes 2 x 50 and waits 100 for reads, though the batch is in the thread when it waits last.
  const auto wait = [](const char* rate) {
    Design design =
        with(reader("2", "2", "0.5 GB/s"), {{"pin_memory", "true"}, {"pin.rate", rate}}, "50 ms");
    set(design.run, Role::run, "duration", "200 s");
    return run(design);
  };
  const RunResult reads = wait("2.5 GB/s");
  CHECK(metric(reads, "job.train.step.time") == Approx(0.1).epsilon(0.005));
  CHECK(metric(reads, "job.train.stall.data") == Approx(0.5).epsilon(0.01));
  CHECK(metric(reads, "job.train.stall.cpu") < 0.001);
  // in 200 ms each: 150 of every 200 ms are waited for the thread
  const RunResult pins = wait("0.5 GB/s");
  CHECK(metric(pins, "job.train.step.time") == Approx(0.2).epsilon(0.005));
  CHECK(metric(pins, "job.train.stall.cpu") == Approx(0.75).epsilon(0.01));
  CHECK(metric(pins, "job.train.stall.data") < 0.005);
}

TEST_CASE("waits are blamed in parts as all of a batch's loading took, not the end of it alone") {
  // Two workers read a batch in 200 ms, then decode it in 100: 150 ms a step, of which the loop
  // computes 100. What it waits for is the end of a batch, when decoding is under way, but two
  // thirds of the loading are reads.
  Design design = with(reader("2", "2", "0.5 GB/s"), {});
  set(*design.jobs[0].dataset, Role::dataset, "decode", "100 ms");
  set(design.run, Role::run, "duration", "200 s");
  for (const bool in_order : {true, false}) {
    set(*design.jobs[0].loader, Role::loader, "in_order", in_order ? "true" : "false");
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.step.time") == Approx(0.15).epsilon(0.005));
    CHECK(metric(result, "job.train.stall.data") == Approx(2.0 / 9.0).epsilon(0.01));
    CHECK(metric(result, "job.train.stall.cpu") == Approx(1.0 / 9.0).epsilon(0.01));
    CHECK(result.limited_by.at("job.train") == "storage.scratch.client.stream");
  }
}

TEST_CASE("a worker that has nothing left to read does not compute") {
  // 3 shards for 2 workers: one reads the last by itself, and its streams are all that is waited
  // for; the steps compute 30 ms of 4 s
  const RunResult result = run(shards("2", "1", "iterable"));
  CHECK(metric(result, "job.train.stall.data") == Approx(1.0 - 0.03 / 4.0).epsilon(0.002));
  CHECK(metric(result, "job.train.stall.cpu") < 0.001);
}

TEST_CASE("a worker of an iterable data set that has read its shards leaves the rest to others") {
  // 3 shards for 2 workers: 10 times two batches in 200 ms, then 10 batches of one worker
  CHECK(wall(shards("2", "1", "iterable")) == Approx(10 * 0.2 + 10 * 0.2).epsilon(0.002));
  CHECK(wall(shards("2", "1", "map")) == Approx(15 * 0.2).epsilon(0.002));
  // a third worker has work as long as the others, a fourth has none
  for (const char* workers : {"3", "4"})
    CHECK(wall(shards(workers, "1", "iterable")) == Approx(10 * 0.2).epsilon(0.002));
}

TEST_CASE("batches on their way to pinned memory arrive though their worker has no more") {
  // 30 samples pass a copy of 1 s each
  const Design design = with(shards("2", "1", "iterable"),
                             {{"pin_memory", "true"}, {"pin.rate", "0.1 GB/s"}}, "1 ms");
  CHECK(metric(run(design), "job.train.steps") == 30.0);
  CHECK(wall(design) == Approx(30.0).epsilon(0.02));
}

TEST_CASE("every worker of an iterable data set drops its own partial batch") {
  // batches of 4: 20 and 10 samples are 5 and 2 batches; in map style 30 samples are 7
  CHECK(metric(run(shards("2", "4", "iterable")), "job.train.steps") == 7.0);
  CHECK(metric(run(shards("3", "4", "iterable")), "job.train.steps") == 6.0);
  CHECK(metric(run(shards("3", "4", "map")), "job.train.steps") == 7.0);
}

TEST_CASE("a rank of an iterable data set has as many files as the poorest") {
  // 10 files of 3 samples for 4 ranks: 2 each; for 2 workers 1 each, for 3 the last has none
  CHECK(models::deal(30.0, 3.0, 4.0, 2) == std::vector<double>{3.0, 3.0});
  CHECK(models::deal(30.0, 3.0, 4.0, 3) == std::vector<double>{3.0, 3.0, 0.0});
  // 10 files to 4 ranks: the first two have a third one.
  CHECK(models::dealt_more(30.0, 3.0, 4.0) == 2.0);
  CHECK(models::deal(30.0, 3.0, 4.0, 2, true) == std::vector<double>{6.0, 3.0});
  CHECK(models::dealt_more(36.0, 3.0, 4.0) == 0.0);
  CHECK(models::dealt_more(9.0, 3.0, 4.0) == 0.0);
}

TEST_CASE("a shuffle buffer is filled before the first sample and grows by one with each") {
  // 8 samples are in the buffer before the first batch: 1.6 s; two more are read for the second.
  // Everything is read once: 3 shards of 10 samples.
  const Design design =
      with(shards("1", "1", "iterable"),
           {{"shuffle.buffer", "20"}, {"shuffle.first", "8"}, {"prefetch", "1"}}, "1 ms");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.first_batch") == Approx(1.6).epsilon(1e-6));
  CHECK(metric(result, "job.train.throughput.bytes") * wall(design) == Approx(3e9).epsilon(1e-9));
  CHECK(wall(design) == Approx(30 * 0.2).epsilon(0.02));
}

TEST_CASE("what is under way when an epoch ends is not of the next one") {
  // Of 30 samples 28 make 7 batches of 4. The last 2 are in the shuffle buffer and being decoded
  // when the next epoch begins, which fills that anew. Each epoch is as the first.
  for (const double epochs : {1.0, 3.0}) {
    INFO(epochs);
    Design design =
        with(shards("1", "4", "iterable"),
             {{"shuffle.buffer", "20"}, {"shuffle.first", "8"}, {"persistent", "true"}}, "1 ms");
    set(*design.jobs[0].dataset, Role::dataset, "decode", "50 ms");
    set(design.jobs[0].job, Role::job, "epochs", epochs == 1.0 ? "1" : "3");
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.steps") == 7.0 * epochs);
    // 30 are read, 28 decoded before the last step.
    CHECK(wall(design) / epochs == Approx(30 * 0.2 + 28 * 0.05).epsilon(0.005));
    // The worker ends what it began before it turns to the next epoch: up to two samples more.
    CHECK(metric(result, "job.train.throughput.bytes") * wall(design) <= 30e8 * epochs);
  }
}

TEST_CASE("a worker stacks its batch before it hands it over") {
  // 200 ms to read and 100 MB at 1 GB/s; without workers both are in series with the compute
  CHECK(metric(run(with(reader("1", "1", "0.5 GB/s"), {{"collate", "1 GB/s"}})),
               "job.train.first_batch") == Approx(0.3).epsilon(1e-6));
  CHECK(metric(run(with(reader("0", "1", "0.5 GB/s"), {{"collate", "1 GB/s"}})),
               "job.train.step.time") == Approx(0.4).epsilon(1e-6));
}

TEST_CASE("a worker takes core time for each batch that it sends, and the loop by itself none") {
  // 200 ms to read, 100 MB at 1 GB/s, 50 ms besides
  const Settings costs = {{"collate", "1 GB/s"}, {"sending", "50 ms"}};
  CHECK(metric(run(with(reader("1", "1", "0.5 GB/s"), costs)), "job.train.first_batch") ==
        Approx(0.35).epsilon(1e-6));
  CHECK(metric(run(with(reader("0", "1", "0.5 GB/s"), costs)), "job.train.step.time") ==
        Approx(0.4).epsilon(1e-6));
}

TEST_CASE("a decoded sample is copied at its own size") {
  Design design = reader("1", "1", "0.5 GB/s");
  set(*design.jobs[0].dataset, Role::dataset, "tensor", "300 MB");
  set(design.hosts[0], Role::host, "gpu.copy", "1 GB/s");
  CHECK(metric(run(with(design, {{"copy", "pinned"}})), "job.train.first_batch") ==
        Approx(0.2 + 0.3).epsilon(1e-6));
}

}  // namespace dataload_test
