#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

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
  // gather 310 GB through one NIC of 400 Gb/s x 95 %, then 320 GB through the same NIC... and one
  // stream
  const double nic = 400e9 / 8 * 0.95;
  CHECK(metric(result, "job.train.checkpoint.stall") > 310e9 / nic + 320e9 / nic);
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
