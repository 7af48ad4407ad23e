#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace checkpoint_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 32 ranks, 100 ms steps, 320 GB saved every 100 steps (10 s) to 8 OSTs x 4 GB/s: 10 s of writing.
// Snapshot: 10 GB per rank at 55 GB/s, but 8 ranks share 300 GB/s of DRAM: 80 GB / 300 GB/s = 0.267
// s.
Design saver(const char* mode) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, mode, "checkpoint",
      {{"to", "scratch"}, {"every_steps", "100"}, {"size", "320 GB"}, {"serializer", "none"}});
  return design;
}
constexpr double kSnapshot = 80e9 / 300e9;
constexpr double kWrite = 320e9 / 32e9;

}  // namespace

TEST_CASE("a synchronous save stalls for snapshot and write") {
  const RunResult result = run(saver("sync"));
  // commit adds 1 ms and the creates 32 files / 50 kops/s
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kSnapshot + kWrite).epsilon(1e-3));
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx(metric(result, "job.train.checkpoint.stall")).epsilon(1e-12));
  // the OSTs are to blame
  CHECK(metric(result, "job.train.checkpoint.overhead") > 0.45);
}

TEST_CASE("an asynchronous save stalls for the snapshot alone when the flush ends in time") {
  Design design = saver("async");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "size", "160 GB");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kSnapshot / 2).epsilon(1e-6));
  CHECK(metric(result, "job.train.checkpoint.backpressure.max") == 0.0);
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx((kSnapshot + kWrite) / 2).epsilon(1e-3));
}

TEST_CASE("a flush longer than the interval pushes back on the next save") {
  Design design = saver("async");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "size", "640 GB");
  set(design.run, Role::run, "duration", "200 s");
  const RunResult result = run(design);
  // the flush takes 20 s and the interval 10 s of compute: each later save waits about 10 s
  CHECK(metric(result, "job.train.checkpoint.backpressure.max") == Approx(10.0).epsilon(0.01));
}

TEST_CASE("rank 0 alone is limited by one host") {
  Design design = saver("sync");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "layout", "rank0");
  const RunResult result = run(design);
  // gather the 240 GB of the other hosts through one NIC of 400 Gb/s x 95 %, copy 320 GB at 55
  // GB/s, then write them through the same NIC; or at the 32 GB/s of the OSTs
  const double nic = 400e9 / 8 * 0.95;
  CHECK(metric(result, "job.train.checkpoint.stall") ==
        Approx(240e9 / nic + 320e9 / 55e9 + 320e9 / std::min(nic, 32e9)).epsilon(1e-3));
  // on one host all comes over NVLink: 280 GB at 85 % of 450 GB/s
  set(design.hosts[0], Role::host, "count", "1");
  CHECK(metric(run(design), "job.train.checkpoint.stall") ==
        Approx(280e9 / 382.5e9 + 320e9 / 55e9 + 320e9 / std::min(nic, 32e9)).epsilon(1e-3));
}

TEST_CASE("rank 0 alone hands out what it restores by its own port") {
  // as it gathers: 240 GB leave through one NIC, or 280 GB over NVLink on one host
  Design design = saver("sync");
  Component& save = design.jobs[0].checkpoint.value();
  set(save, Role::checkpoint, "layout", "rank0");
  set(save, Role::checkpoint, "restore.read", "once");
  const double nic = 400e9 / 8 * 0.95;
  const double alone = 320e9 / 55e9 + 320e9 / std::min(nic, 32e9);
  CHECK(metric(run(design), "job.train.restore.duration") ==
        Approx(240e9 / nic + alone).epsilon(1e-3));
  set(design.hosts[0], Role::host, "count", "1");
  CHECK(metric(run(design), "job.train.restore.duration") ==
        Approx(280e9 / 382.5e9 + alone).epsilon(1e-3));
}

TEST_CASE("what only one host's drives hold is broadcast, whoever is to read it") {
  // 320 GB at 20 GB/s of one host, over one port of 47.5 GB/s into each other one, and to its GPUs
  for (const char* read : {"all", "once"}) {
    Design design = saver("async");
    Component& save = *design.jobs[0].checkpoint;
    set(save, Role::checkpoint, "tiers", "host-memory,local-nvme,scratch");
    set(save, Role::checkpoint, "layout", "fsdp-hybrid");
    set(save, Role::checkpoint, "restore.from", "local-nvme");
    set(save, Role::checkpoint, "restore.read", read);
    for (const char* rate : {"nvme.read", "nvme.write"})
      set(design.hosts[0], Role::host, rate, "20 GB/s");
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.restore.duration") ==
          Approx(16.0 + 320.0 / 47.5 + 4 * kSnapshot).epsilon(2e-3));
    CHECK(metric(result, "job.train.restore.read") == Approx(320e9));
  }
}

TEST_CASE("weights are broadcast by the rank that has read them") {
  // All is read at 32 GB/s, last of it the weights, 2 / 14 of 320 GB, by rank 0; then they cross
  // one port of 47.5 GB/s into each host
  Design design = saver("sync");
  Component& save = *design.jobs[0].checkpoint;
  set(save, Role::checkpoint, "layout", "zero1");
  set(save, Role::checkpoint, "snapshot", "none");
  set(save, Role::checkpoint, "restore.read", "once");
  CHECK(metric(run(design), "job.train.restore.duration") ==
        Approx(kWrite + 320.0 / 7 / 47.5).epsilon(5e-3));
}

TEST_CASE("ranks of one host have its drives and cores alone") {
  // 60 GB on 4 hosts of 4 GPUs with a drive of 1 GB/s each: 60 s from one host, 15 s from all
  const auto save = [](Design design, const char* layout, const char* threads) {
    set(design.hosts[0], Role::host, "gpus", "4");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", design.storage[0].id.c_str()},
                                           {"every_steps", "100"},
                                           {"size", "60 GB"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"},
                                           {"layout", layout},
                                           {"threads", threads}});
    return design;
  };
  const auto duration = [](const Design& design) {
    return metric(run(design), "job.train.checkpoint.duration");
  };
  const Design drives = design_with_storage("local", {{"drive.count", "1"},
                                                      {"drive.read", "1 GB/s"},
                                                      {"drive.write", "1 GB/s"},
                                                      {"client.stream", "100 GB/s"}});
  CHECK(duration(save(drives, "fsdp-hybrid", "1")) == Approx(60.0).epsilon(0.01));
  CHECK(duration(save(drives, "zero0", "8")) == Approx(60.0).epsilon(0.01));
  CHECK(duration(save(drives, "sharded", "1")) == Approx(15.0).epsilon(0.01));
  // 4 ranks that serialise 15 GB at 1.5 GB/s each take 10 s on 4 cores and 20 s on 2
  Design cores = saver("sync");
  set(cores.storage[0], Role::storage, "ost.write", "10 TB/s");
  for (const auto& [count, seconds] : {std::pair{"4", 10.0}, std::pair{"2", 20.0}}) {
    set(cores.hosts[0], Role::host, "cpu.cores", count);
    Design design = save(cores, "fsdp-hybrid", "1");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "serializer", "torch");
    // and 60 GB of checksums, at 3.5 GB/s a core, take longer than one port
    CHECK(duration(design) == Approx(seconds + 60.0 / (3.5 * std::stod(count))).epsilon(0.01));
  }
}

TEST_CASE("who writes most of a host has its port when the others are done") {
  // zero1 without a shape: of 14 B a parameter rank 0 writes the 2 of the weights and all 32 ranks
  // their part of the 12. Its host of 8 writes W + O / 4 = 320 GB x (2 + 3) / 14 through its port.
  Design design = saver("sync");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.storage[0], Role::storage, "ost.write", "1 TB/s");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "zero1");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "snapshot", "none");
  const double nic = metric(run(design), "job.train.checkpoint.duration");
  CHECK(nic == Approx(320e9 * 5.0 / 14.0 / (400e9 / 8 * 0.95)).epsilon(0.01));
}

TEST_CASE("size follows from the parameter count at 14 bytes each") {
  Design design = saver("sync");
  design.jobs[0].checkpoint->values.erase("size");
  set(design.jobs[0].model, Role::model, "parameters", "8.03e9");
  // 8.03e9 x 14 B = 112.4 GB, as MLPerf Storage prints for llama3-8b
  CHECK(metric(run(design), "job.train.checkpoint.size") == Approx(112.42e9).epsilon(1e-4));
}

TEST_CASE("snapshots that do not fit in host memory make saves synchronous, and say so") {
  Design design = saver("async");
  set(design.hosts[0], Role::host, "memory.size", "100 GB");
  const RunResult result = run(design);
  REQUIRE_FALSE(result.warnings.empty());
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kSnapshot + kWrite).epsilon(1e-3));
}

TEST_CASE("reads and a flush share the OSTs") {
  // Reads alone could have 32 GB/s; while a flush runs they share max-min.
  Design design = saver("async");
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "40 MB"}, {"samples", "10000000"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}});
  const RunResult with = run(design);
  design.jobs[0].checkpoint.reset();
  const RunResult without = run(design);
  CHECK(metric(with, "job.train.gpu.utilization") < metric(without, "job.train.gpu.utilization"));
}

TEST_CASE("a flush a little longer than the interval delays each save by the difference alone") {
  // 10 s of writing and 0.267 s of snapshot every 10 s: saves are 10.3 s apart, however many there
  // are, and what one waited is not taken from the next interval.
  Design design = saver("async");
  Component& save = design.jobs[0].checkpoint.value();
  save.values.erase("every_steps");
  set(save, Role::checkpoint, "every", "10 s");
  const auto after = [&](const char* run_for) {
    set(design.run, Role::run, "duration", run_for);
    return run(design);
  };
  for (const char* run_for : {"200 s", "2000 s"}) {
    const RunResult result = after(run_for);
    INFO(run_for);
    CHECK(metric(result, "job.train.checkpoint.backpressure.max") < 0.4);
    CHECK(metric(result, "job.train.checkpoint.stall") < 0.7);
    CHECK(std::count_if(result.warnings.begin(), result.warnings.end(), [](const auto& warning) {
            return warning.find("longer than \"every\"") != std::string::npos;
          }) == 1);
  }
  set(save, Role::checkpoint, "every", "20 s");
  CHECK(after("200 s").warnings.empty());
  // Saves that training waits for begin a step after the one before has ended.
  set(save, Role::checkpoint, "every", "5 s");
  Design sync = design;
  sync.jobs[0].checkpoint.value().kind = "sync";
  const RunResult result = run(sync);
  CHECK(metric(result, "job.train.checkpoint.count") == Approx(200.0 / 10.37).margin(1.0));
  CHECK(!result.warnings.empty());
}

TEST_CASE("saves by steps that wait for a buffer, and drains that fall behind, are told") {
  const auto told = [](const Design& design, const char* what) {
    const RunResult result = run(design);
    return std::count_if(result.warnings.begin(), result.warnings.end(), [&](const auto& warning) {
      return warning.find(what) != std::string::npos;
    });
  };
  // A flush of 10 s every 10 s of steps keeps up within a snapshot; one of 20 s does not.
  Design design = saver("async");
  Component& save = design.jobs[0].checkpoint.value();
  set(design.run, Role::run, "duration", "200 s");
  set(save, Role::checkpoint, "size", "160 GB");
  CHECK(told(design, "longer than \"every_steps\"") == 0);
  set(save, Role::checkpoint, "size", "640 GB");
  CHECK(told(design, "longer than \"every_steps\"") == 1);
  // To the drives 40 GB of each host take 2 s, to the OSTs of 32 GB/s 5 s, or of 8 GB/s 20 s.
  set(save, Role::checkpoint, "size", "160 GB");
  set(save, Role::checkpoint, "tiers", "local-nvme,scratch");
  set(design.hosts[0], Role::host, "nvme.read", "40 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "20 GB/s");
  CHECK(told(design, "drain to \"scratch\"") == 0);
  // What an outage holds up goes on as before when it is over: 210 s of delay in 19 drains.
  Design outage = design;
  outage.failures.push_back(component(Role::failure, "storage", "out",
                                      {{"on", "scratch"},
                                       {"part", "service"},
                                       {"at", "55 s"},
                                       {"failover", "60 s"},
                                       {"repair", "1 s"}}));
  CHECK(told(outage, "drain to \"scratch\"") == 0);
  CHECK(told(outage, "longer than \"every_steps\"") == 0);
  set(design.storage[0], Role::storage, "ost.write", "1 GB/s");
  CHECK(told(design, "drain to \"scratch\"") == 1);
  CHECK(told(design, "leaves room") == 0);
  // Every third save alone has the time of three; and of a save that training waits for none is
  // begun before the one before is there.
  Design third = design;
  set(third.jobs[0].checkpoint.value(), Role::checkpoint, "drain_every", "3");
  set(third.jobs[0].checkpoint.value(), Role::checkpoint, "durable", "local-nvme");
  CHECK(told(third, "drain to") == 0);
  design.jobs[0].checkpoint.value().kind = "sync";
  CHECK(told(design, "drain to") == 0);
}

TEST_CASE("a drain through local NVMe frees host memory at the speed of the drive") {
  Design design = saver("async");
  set(design.hosts[0], Role::host, "nvme.read", "20 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "10 GB/s");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "tiers",
      "host-memory,local-nvme,scratch");
  const auto duration = [&](const char* run_for) {
    set(design.run, Role::run, "duration", run_for);
    return metric(run(design), "job.train.checkpoint.duration");
  };
  // one save, 80 GB per host: 8 s to the drive, then 10 s to the OSTs (320 GB at 32 GB/s)
  CHECK(duration("15 s") == Approx(kSnapshot + 8.0 + kWrite).epsilon(0.01));
  // One every 10 s asks 8 + 4 s of the drive: the drain of one takes time from the next.
  CHECK(duration("60 s") > kSnapshot + 8.0 + kWrite + 1.0);
}

TEST_CASE("a drain that reads slower than it writes is limited by the drives it reads from") {
  Design design = saver("async");
  set(design.hosts[0], Role::host, "nvme.read", "2 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "20 GB/s");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "tiers",
      "host-memory,local-nvme,scratch");
  set(design.run, Role::run, "duration", "15 s");
  // one save, 80 GB per host: 4 s to the drive, 40 s out of it, of which the OSTs take 10 s
  // meanwhile
  const RunResult slow = run(design);
  const std::string took = "job.train.checkpoint.took.host.gpu.nvme.drives.read";
  CHECK(metric(slow, "job.train.checkpoint.duration") == Approx(kSnapshot + 44.0).epsilon(0.01));
  CHECK(slow.limited_by.at("job.train.checkpoint.duration") == "host.gpu.nvme.drives.read");
  CHECK(metric(slow, took.c_str()) == Approx(40.0).epsilon(0.01));
  set(design.hosts[0], Role::host, "nvme.read", "20 GB/s");
  const RunResult fast = run(design);
  CHECK(fast.limited_by.at("job.train.checkpoint.duration") == "storage.scratch.ost");
}

TEST_CASE("a save that has left host memory holds back no other") {
  // One every 10 s: 8 s to the drive, and longer to the OSTs. Reads and writes of the drive do not
  // meet; saves wait for each other on the OSTs only.
  Design design = saver("async");
  set(design.hosts[0], Role::host, "nvme.read", "1000 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "10 GB/s");
  set(design.storage[0], Role::storage, "ost.write", "2 GB/s");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "tiers",
      "host-memory,local-nvme,scratch");
  set(design.run, Role::run, "duration", "120 s");
  CHECK(metric(run(design), "job.train.checkpoint.stall.max") == Approx(kSnapshot).epsilon(0.01));
}

TEST_CASE("the tier local-nvme is a store of one drive with the host's rates") {
  Design alias = saver("async");
  set(alias.hosts[0], Role::host, "nvme.read", "20 GB/s");
  set(alias.hosts[0], Role::host, "nvme.write", "10 GB/s");
  const auto tiers = [](Design design, const std::string& near) {
    const std::string all = "host-memory," + near + ",scratch";
    const auto put = [&](const char* key, const char* text) {
      set(design.jobs[0].checkpoint.value(), Role::checkpoint, key, text);
    };
    put("tiers", all.c_str());
    put("durable", near.c_str());
    put("restore.from", near.c_str());
    put("restore.read", "own");
    put("verify", "read-back");
    return run(design);
  };
  Design store = saver("async");
  store.storage.push_back(component(Role::storage, "local", "near",
                                    {{"drive.count", "1"},
                                     {"drive.read", "20 GB/s"},
                                     {"drive.write", "10 GB/s"},
                                     {"drive.latency", "0 s"},
                                     {"drive.write_latency", "0 s"},
                                     {"drive.read_iops", "1e9 kops/s"},
                                     {"request", "1 TB"},
                                     {"open", "0 s"},
                                     {"create", "0 s"},
                                     {"client.stream", "1000 GB/s"}}));
  const RunResult a = tiers(alias, "local-nvme"), b = tiers(store, "near");
  set(alias.run, Role::run, "duration", "15 s");
  const RunResult one = tiers(alias, "local-nvme");
  for (const char* name : {"job.train.checkpoint.duration", "job.train.checkpoint.settled",
                           "job.train.checkpoint.stall", "job.train.restore.duration"})
    CHECK(metric(a, name) == Approx(metric(b, name)).epsilon(1e-6));
  // one save, 80 GB a host: 8 s in, 4 s read back; out again in 4 s and to the GPUs
  CHECK(metric(one, "job.train.checkpoint.duration") == Approx(kSnapshot + 12.0).epsilon(0.01));
  CHECK(metric(one, "job.train.restore.duration") == Approx(4.0 + kSnapshot).epsilon(0.01));
}

TEST_CASE(
    "a streamed save takes as long as its slowest phase, and the OSTs are named as its limit") {
  Design design = saver("sync");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "stream", "true");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.stall") == Approx(kWrite).epsilon(1e-3));
  CHECK(result.limited_by.at("job.train.checkpoint.duration") == "storage.scratch.ost");
}

TEST_CASE("a storage system between memory and the last tier carries the save itself") {
  // 160 GB to a burst buffer of 16 OSTs x 4 GB/s: 2.5 s, then 5 s to scratch; both move all of it
  Design design = saver("async");
  design.storage.push_back(
      component(Role::storage, "lustre", "burst",
                {{"ost.count", "16"}, {"stripe.count", "0"}, {"client.stream", "100 GB/s"}}));
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "size", "160 GB");
  set(design.jobs[0].checkpoint.value(), Role::checkpoint, "tiers", "host-memory,burst,scratch");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx((kSnapshot + kWrite / 2 + kWrite) / 2).epsilon(0.01));
  CHECK(metric(result, "resource.storage.burst.ost.throughput") ==
        Approx(metric(result, "resource.storage.scratch.ost.throughput")).epsilon(0.01));
}

}  // namespace checkpoint_test
