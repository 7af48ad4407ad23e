#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"
#include "tests/support/mean_value_analysis.hpp"

namespace tenant_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

// A job that only computes, on 4 hosts, alongside tenants that run on two hosts of their own and
// use an NFS filer of one 5 GB/s controller, 10 us away, 250 us per request; nothing else limits.
Design shared(std::vector<Component> tenants, const char* duration = "100 s") {
  Design design = small_design();
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
  design.storage[0] = filer_of_one_head(
      {{"client.connection", "10 GB/s"}, {"client.stream", "10 GB/s"}, {"client.nconnect", "16"}});
  set(design.run, Role::run, "duration", duration);
  for (Component& tenant : tenants) design.tenants.push_back(std::move(tenant));
  return design;
}

Component tenant(const char* kind, const char* id, Settings settings) {
  Component out = component(Role::tenant, kind, id, settings);
  set(out, Role::tenant, "on", "scratch");
  set(out, Role::tenant, "hosts", "other");
  return out;
}

}  // namespace

TEST_CASE("open reads wait as in a processor-sharing queue") {
  // Poisson arrivals of 25 MB at 100/s on 5 GB/s: 5 ms each, rho = 0.5. M/G/1 with processor
  // sharing: mean time in transfer s / (C (1 - rho)) = 10 ms, plus one turn of 260 us.
  const RunResult result = run(shared(
      {tenant(
          "inference", "kv",
          {{"rate", "100 ops/s"}, {"request", "25 MB"}, {"burst", "1"}, {"sampled", "100 ops/s"}})},
      "1000 s"));
  CHECK(metric(result, "tenant.kv.latency") == Approx(10.26e-3).epsilon(0.03));
  CHECK(metric(result, "tenant.kv.read") == Approx(2.5e9).epsilon(0.02));
  CHECK(metric(result, "tenant.kv.latency.p99") > 3.0 * metric(result, "tenant.kv.latency"));
}

TEST_CASE("bursts keep the mean rate and lengthen the tail") {
  const auto kv = [](const char* burst) {
    return run(shared({tenant("inference", "kv",
                              {{"rate", "100 ops/s"},
                               {"request", "10 MB"},
                               {"burst", burst},
                               {"sampled", "1000 ops/s"}})},
                      "1000 s"));
  };
  // 5 x 0.1 + 0.5556 x 0.9 = 1: half of all requests come in a tenth of the time, at 5 GB/s
  const RunResult even = kv("1"), bursty = kv("5");
  CHECK(metric(bursty, "tenant.kv.read") == Approx(metric(even, "tenant.kv.read")).epsilon(0.15));
  CHECK(metric(bursty, "tenant.kv.latency.p99") > 2.0 * metric(even, "tenant.kv.latency.p99"));
}

TEST_CASE("requests that are not simulated one by one load the storage all the same") {
  const auto kv = [](const char* sampled) {
    return run(shared({tenant(
        "inference", "kv",
        {{"rate", "200 ops/s"}, {"request", "10 MB"}, {"burst", "1"}, {"sampled", sampled}})}));
  };
  const RunResult all = kv("200 ops/s"), some = kv("20 ops/s");
  CHECK(metric(some, "tenant.kv.read") == Approx(metric(all, "tenant.kv.read")).epsilon(0.05));
  CHECK(metric(some, "tenant.kv.operations") == Approx(200.0).epsilon(0.05));
}

TEST_CASE("weights are loaded by all readers of a starting replica together") {
  // 8 readers of 1.25 GB each share 5 GB/s: 2 s and a few ms of opens
  const RunResult result = run(shared({tenant("inference", "llm",
                                              {{"rate", "1 ops/s"},
                                               {"request", "1 kB"},
                                               {"burst", "1"},
                                               {"weights", "10 GB"},
                                               {"scale_every", "60 s"}})},
                                      "9000 s"));
  CHECK(metric(result, "tenant.llm.weights.load.p50") == Approx(2.0).epsilon(0.01));
}

TEST_CASE("new data arrives whether or not the storage keeps up") {
  // 2 GB/s fit; of 10 GB/s one controller takes 5
  const auto behind = [](const char* rate) {
    return run(shared({tenant("ingest", "new", {{"rate", rate}, {"file", "1 GB"}})}));
  };
  const RunResult easy = behind("2 GB/s"), late = behind("10 GB/s");
  CHECK(metric(easy, "tenant.new.write") == Approx(2e9).epsilon(0.02));
  CHECK(metric(late, "tenant.new.write") < 5.001e9);
  CHECK(metric(late, "tenant.new.behind") > 450e9);
}

TEST_CASE("a tenant uses all of its hosts") {
  // 4 hosts on one leaf and 2 on another, each behind 2 links of 47.5 GB/s
  Design design = small_design();
  design.jobs.clear();
  design.hosts[0] =
      component(Role::host, "host", "other",
                {{"count", "6"}, {"nic.count", "1"}, {"memory.bandwidth", "100 TB/s"}});
  design.fabric = component(Role::fabric, "fat-tree", "fabric",
                            {{"leaf.ports", "6"}, {"oversubscription", "2"}});
  for (const char* key : {"ost.read", "ost.write"})
    set(design.storage[0], Role::storage, key, "1000 TB/s");
  design.tenants = {tenant("ingest", "new", {{"rate", "120 GB/s"}, {"file", "1 GB"}})};
  CHECK(metric(run(design), "tenant.new.write") == Approx(120e9).epsilon(0.02));
}

TEST_CASE("preprocessing is a closed loop of reading, computing and writing") {
  // 2 hosts x 4 workers: 100 MB compute for 1 s, and are 30 ms of the controller with the 50 MB
  // written, while others compute. Request turns take well under 10 ms.
  const RunResult result = run(shared(
      {tenant("preprocess", "tok",
              {{"workers", "4"}, {"chunk", "100 MB"}, {"cpu", "100 MB/s"}, {"ratio", "0.5"}})},
      "1000 s"));
  const double chunks = mean_value_analysis(8, 1.0, {{0.03}});
  CHECK(metric(result, "tenant.tok.read") == Approx(chunks * 100e6).epsilon(0.01));
  CHECK(metric(result, "tenant.tok.write") == Approx(chunks * 50e6).epsilon(0.01));
}

TEST_CASE("more workers than cores take turns") {
  // 128 workers on 64 cores compute twice as long: 2 x 128 x 1 MB every 2 s and the turns between
  const auto rate = [](const char* workers) {
    return metric(
        run(shared({tenant(
            "preprocess", "tok",
            {{"workers", workers}, {"chunk", "1 MB"}, {"cpu", "1 MB/s"}, {"ratio", "0"}})})),
        "tenant.tok.read");
  };
  CHECK(rate("64") == Approx(128e6).epsilon(0.05));
  CHECK(rate("128") == Approx(128e6).epsilon(0.05));
}

TEST_CASE("writers of metrics flush once a period each") {
  // 1,000 writers every 10 s: 100 flushes of 4 KiB a second
  const RunResult result =
      run(shared({tenant("tracking", "logs", {{"writers", "1000"}, {"flush", "4 KiB"}})}));
  CHECK(metric(result, "tenant.logs.operations") == Approx(100.0).epsilon(0.05));
  CHECK(metric(result, "tenant.logs.write") == Approx(409600.0).epsilon(0.05));
}

TEST_CASE("calls of loggers wait in the database of the tracking server") {
  // 100 writers log 40 metrics every 10 s: 400 a second of 500, u = 0.8: 2 ms (1 + 0.8 / 0.4)
  const auto logs = [](const char* rate) {
    return run(shared({tenant("tracking", "logs",
                              {{"writers", "100"},
                               {"every", "10 s"},
                               {"database.rate", rate},
                               {"database.calls", "40"}})}));
  };
  CHECK(metric(logs("500 ops/s"), "tenant.logs.database.latency") == Approx(6e-3));
  CHECK(metric(logs("500 ops/s"), "tenant.logs.database.use") == Approx(0.8));
  const RunResult full = logs("400 ops/s");
  CHECK_FALSE(full.metrics.contains("tenant.logs.database.latency"));
  CHECK(std::any_of(full.warnings.begin(), full.warnings.end(), [](const std::string& warning) {
    return warning.find("wait without end") != std::string::npos;
  }));
}

TEST_CASE("a fio job is a closed loop of requests in flight") {
  // 2 hosts x 4 x 8 requests of 1 MiB in flight at 5 GB/s keep the link busy: 13.4 ms each
  const RunResult result = run(shared({tenant(
      "fio", "noise", {{"rw", "randread"}, {"bs", "1 MiB"}, {"numjobs", "4"}, {"iodepth", "8"}})}));
  const double turn = 64.0 / mean_value_analysis(64, 260e-6, {{1048576.0 / 5e9}});
  CHECK(metric(result, "tenant.noise.read") == Approx(64 * 1048576.0 / turn).epsilon(0.003));
  CHECK(metric(result, "tenant.noise.latency") == Approx(turn).epsilon(0.003));
}

TEST_CASE("small writes of a fio job wait for answers and for the filer as small reads do") {
  const auto operations = [](const char* pattern, const char* depth) {
    return metric(
        run(shared({tenant("fio", "noise", {{"rw", pattern}, {"bs", "4 KiB"}, {"iodepth", depth}})},
                   "20 s")),
        "tenant.noise.operations");
  };
  // One of each host: 250 us of the controller and 10 us away, in turn, or a controller busy.
  CHECK(operations("randwrite", "1") == Approx(operations("randread", "1")).epsilon(0.02));
  CHECK(operations("randwrite", "256") == Approx(operations("randread", "256")).epsilon(0.02));
  CHECK(operations("randwrite", "256") > 2.0 * operations("randwrite", "1"));
}

TEST_CASE("a mix of reads and writes is kept whichever is slower") {
  Design design = shared(
      {tenant("fio", "noise",
              {{"rw", "randrw"}, {"rwmixread", "75 %"}, {"bs", "4 KiB"}, {"iodepth", "64"}})},
      "20 s");
  design.storage[0] = component(Role::storage, "local", "scratch",
                                {{"drive.count", "1"}, {"drive.write_iops", "20 kops/s"}});
  const RunResult result = run(design);
  CHECK(metric(result, "tenant.noise.read") ==
        Approx(3.0 * metric(result, "tenant.noise.write")).epsilon(0.03));
  // Two drives, each of 20,000 writes or a million reads a second.
  CHECK(metric(result, "tenant.noise.operations") ==
        Approx(2.0 / (0.25 / 20e3 + 0.75 / 1e6)).epsilon(0.05));
}

TEST_CASE("drives take so many small writes a second, disks seek before each") {
  const auto operations = [](Settings drives, const char* block) {
    Design design = shared(
        {tenant("fio", "noise", {{"rw", "randwrite"}, {"bs", block}, {"iodepth", "64"}})}, "20 s");
    design.storage[0] = component(Role::storage, "local", "scratch", drives);
    set(design.storage[0], Role::storage, "drive.count", "2");
    set(design.storage[0], Role::storage, "raid.level", "10");
    return metric(run(design), "tenant.noise.operations");
  };
  // Two hosts of two drives, each write on both of a host: as many as two drives write.
  CHECK(operations({{"drive.write_iops", "50 kops/s"}}, "4 KiB") == Approx(100e3).epsilon(0.03));
  CHECK(operations({{"drive.write_iops", "50 kops/s"}}, "1 MiB") ==
        Approx(2.0 * 4.2e9 / (1 << 20)).epsilon(0.03));  // by their bytes
  // 2 hosts of 2 disks, 10 ms on both, although a request in flight takes 0.6 s then.
  CHECK(operations({{"drive.seek", "10 ms"}, {"drive.write", "200 MB/s"}}, "4 KiB") ==
        Approx(200.0).epsilon(0.04));
}

TEST_CASE("a fio job with a rate is paced") {
  // 4 processes on each of 2 hosts, of 100 requests a second, 64 KiB each
  const RunResult result = run(shared({tenant(
      "fio", "noise",
      {{"rw", "randread"}, {"bs", "64 KiB"}, {"numjobs", "4"}, {"rate_iops", "100 ops/s"}})}));
  CHECK(metric(result, "tenant.noise.operations") == Approx(800.0).epsilon(0.03));
}

TEST_CASE("a limit holds a tenant whatever it asks for") {
  const RunResult result = run(shared(
      {tenant("fio", "noise",
              {{"rw", "randread"}, {"bs", "1 MiB"}, {"iodepth", "64"}, {"limit", "500 MB/s"}})}));
  CHECK(metric(result, "tenant.noise.read") == Approx(500e6).epsilon(0.03));
}

TEST_CASE("a limit of operations holds requests, opens and creates together") {
  // A bucket of 100 a second, one second deep, full at first: 100 x 100 + 100 in 100 s.
  const RunResult requests = run(shared({tenant("fio", "noise",
                                                {{"rw", "randread"},
                                                 {"bs", "4 KiB"},
                                                 {"iodepth", "5"},
                                                 {"limit_operations", "100 ops/s"}})}));
  CHECK(metric(requests, "tenant.noise.operations") == Approx(101.0).epsilon(0.002));
  CHECK(requests.limited_by.at("tenant.noise") == "tenant.noise.limit");
  // 20 writers that flush each second ask for 20 creates and 20 writes: they get 10 of each, and
  // the bucket's 20 once.
  const RunResult creates = run(
      shared({tenant("tracking", "log",
                     {{"writers", "20"}, {"every", "1 s"}, {"limit_operations", "20 ops/s"}})}));
  CHECK(metric(creates, "tenant.log.metadata") == Approx(10.1).epsilon(0.01));
  CHECK(metric(creates, "tenant.log.operations") == Approx(10.1).epsilon(0.01));
}

TEST_CASE("opens of a tenant are counted and timed by themselves") {
  // One open a request of 4 KiB: 100 a second; an idle filer answers within a round trip and its
  // service of 250 us, and the open is part of the request.
  const RunResult result = run(shared({tenant("inference", "kv",
                                              {{"rate", "100 ops/s"},
                                               {"request", "4 KiB"},
                                               {"files", "1"},
                                               {"burst", "1"},
                                               {"sampled", "100 ops/s"}})},
                                      "1000 s"));
  CHECK(metric(result, "tenant.kv.metadata") == Approx(100.0).epsilon(0.02));
  CHECK(metric(result, "tenant.kv.metadata") == Approx(metric(result, "tenant.kv.operations")));
  CHECK(metric(result, "tenant.kv.metadata.latency.p99") >=
        metric(result, "tenant.kv.metadata.latency.p50"));
  CHECK(metric(result, "tenant.kv.metadata.latency") < metric(result, "tenant.kv.latency"));
}

TEST_CASE("shares divide a busy server by weight") {
  // weights 3 and 1 of 5 GB/s, both with 16 requests in flight
  const auto load = [](const char* id, const char* share) {
    return tenant("fio", id,
                  {{"rw", "read"}, {"bs", "64 MiB"}, {"iodepth", "16"}, {"share", share}});
  };
  const RunResult result = run(shared({load("gold", "3"), load("bronze", "1")}, "300 s"));
  CHECK(metric(result, "tenant.gold.read") / metric(result, "tenant.bronze.read") ==
        Approx(3.0).epsilon(0.05));
}

TEST_CASE("a higher class is served before a lower one, whatever their shares") {
  const auto load = [](const char* id, const char* priority, const char* depth, Settings more) {
    Component out =
        tenant("fio", id, {{"rw", "read"}, {"bs", "64 MiB"}, {"iodepth", depth}, {"share", "1"}});
    set(out, Role::tenant, "priority", priority);
    for (const auto& [name, value] : more) set(out, Role::tenant, name, value);
    return out;
  };
  // The exact order: "high" asks for 2 of 5 GB/s and gets all of them, "low" what is left. Even
  // shares would leave it 2, too; 128 requests of "low" against 4 would not.
  const RunResult paced = run(shared({load("first", "high", "4", {{"limit", "2 GB/s"}}),
                                      load("second", "low", "128", {{"share", "100"}})},
                                     "300 s"));
  CHECK(metric(paced, "tenant.first.read") == Approx(2e9).epsilon(0.01));
  CHECK(metric(paced, "tenant.second.read") == Approx(3e9).epsilon(0.02));
  // Both could use all of it: n / (1000 m + n) goes to the lower class, where the exact order
  // leaves it nothing: 16 / 16016 of 5 GB/s with 16 requests each, 160 / 16160 with ten times them.
  const auto kept = [&](const char* depth) {
    const RunResult result = run(
        shared({load("first", "high", "16", {}), load("second", "normal", depth, {})}, "300 s"));
    return metric(result, "tenant.second.read") /
           (metric(result, "tenant.first.read") + metric(result, "tenant.second.read"));
  };
  CHECK(kept("16") < 0.005);
  CHECK(kept("160") < 0.02);
}

TEST_CASE("a tenant begins and ends when it is told") {
  // 1 GB/s from 20 s to 70 s of 100 s; its rate is over the time it was there
  const RunResult result = run(shared(
      {tenant("ingest", "new",
              {{"rate", "1 GB/s"}, {"file", "100 MB"}, {"start", "20 s"}, {"stop", "70 s"}})}));
  CHECK(metric(result, "tenant.new.write") == Approx(1e9).epsilon(0.02));
  CHECK(metric(result, "resource.storage.scratch.head.throughput") == Approx(0.5e9).epsilon(0.02));
}

TEST_CASE("training slows down alongside a busy tenant") {
  // The job reads 4 hosts x 8 x 10 x 10 MB / 1 s = 3.2 GB/s of 5: it fits alone, and not alongside
  // a tenant of 64 requests in flight.
  const auto busy = [](std::vector<Component> tenants) {
    Design design = shared(std::move(tenants), "60 s");
    set(design.jobs[0].step, Role::step, "compute", "1 s");
    design.jobs[0].dataset =
        component(Role::dataset, "raw", "dataset",
                  {{"on", "scratch"}, {"sample", "10 MB"}, {"samples", "1000000"}});
    design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "10"}});
    return metric(run(design), "job.train.gpu.utilization");
  };
  const double alone = busy({});
  CHECK(alone > 0.9);
  CHECK(busy({tenant("fio", "noise", {{"rw", "read"}, {"bs", "4 MiB"}, {"iodepth", "128"}})}) <
        alone - 0.1);
}

TEST_CASE("tenants alone run for as long as they are told") {
  // The closed loop of above for 100 s, and no job: the filer is waited for, nothing is of a job.
  Design design = shared({tenant(
      "fio", "noise", {{"rw", "randread"}, {"bs", "1 MiB"}, {"numjobs", "4"}, {"iodepth", "8"}})});
  design.jobs.clear();
  const RunResult result = run(design);
  const double turn = 64.0 / mean_value_analysis(64, 260e-6, {{1048576.0 / 5e9}});
  CHECK(result.simulated_s == Approx(100.0).epsilon(1e-12));
  CHECK(metric(result, "tenant.noise.read") == Approx(64 * 1048576.0 / turn).epsilon(0.01));
  CHECK(metric(result, "tenant.noise.latency") == Approx(turn).epsilon(0.01));
  CHECK(metric(result, "resource.storage.scratch.head.throughput") ==
        Approx(64 * 1048576.0 / turn).epsilon(0.01));
  CHECK(result.breakdown.empty());
  CHECK(result.limited_by.at("tenant.noise").starts_with("storage.scratch.head"));
  const auto head = std::find_if(result.resources.begin(), result.resources.end(),
                                 [](const ResourceUse& u) { return u.blamed_share > 0.5; });
  REQUIRE(head != result.resources.end());
  CHECK(head->name.starts_with("storage.scratch.head"));
}

TEST_CASE("of tenants alone each counts as much as any other in what is waited for") {
  // One waits for its limit nearly all the time, the other for the filer: half and half, though the
  // first has eight requests in flight for two of the other.
  Design design = shared(
      {tenant("fio", "held",
              {{"rw", "randread"}, {"bs", "1 MiB"}, {"iodepth", "4"}, {"limit", "100 MB/s"}}),
       tenant("fio", "free", {{"rw", "randread"}, {"bs", "16 MiB"}})});
  design.jobs.clear();
  const RunResult result = run(design);
  double limit = 0.0;
  for (const ResourceUse& use : result.resources)
    if (use.name == "tenant.held.limit") limit = use.blamed_share;
  CHECK(limit == Approx(0.5).epsilon(0.03));
}

TEST_CASE("the CPU that preprocessing computes on is busy, and waited for") {
  // 64 workers a host on 64 cores: 1 s of computing per chunk of 1 MB, a few ms of reading.
  Design design =
      shared({tenant("preprocess", "tok",
                     {{"workers", "64"}, {"chunk", "1 MB"}, {"cpu", "1 MB/s"}, {"ratio", "0"}})});
  design.jobs.clear();
  const RunResult result = run(design);
  CHECK(metric(result, "tenant.tok.chunk") == Approx(1.03).epsilon(0.03));
  CHECK(metric(result, "resource.host.other.cpu.utilization") == Approx(1.0).epsilon(0.05));
  CHECK(result.limited_by.at("tenant.tok") == "host.other.cpu");
}

TEST_CASE("a storage failure without a job says how often and how long, and nothing of GPUs") {
  Design design = shared({tenant("fio", "noise", {{"rw", "randread"}, {"bs", "8 MiB"}})});
  design.jobs.clear();
  design.failures.push_back(component(Role::failure, "storage", "outage",
                                      {{"on", "scratch"},
                                       {"part", "service"},
                                       {"at", "10 s"},
                                       {"failover", "20 s"},
                                       {"repair", "10 s"},
                                       {"left", "100 %"}}));
  const RunResult result = run(design);
  CHECK(metric(result, "failure.outage.count") == 1.0);
  CHECK(metric(result, "failure.outage.lasted") == Approx(30.0));
  CHECK_FALSE(result.metrics.contains("failure.outage.gpu.utilization"));
  CHECK(metric(result, "tenant.noise.latency.max") == Approx(20.0).epsilon(0.01));
}

}  // namespace tenant_test
