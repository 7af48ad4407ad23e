#include <catch2/catch.hpp>
#include <cmath>

#include "engine/sim/fluid_context.hpp"
#include "engine/sim/join.hpp"
#include "models/plant/plant.hpp"
#include "models/storage/drives.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace local_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// Drives of 8 GB/s, 1 Mops/s and 100 us in each of 4 hosts; the page cache does not limit.
Design drives(const char* count, Fields settings = {}) {
  Fields all = {{"drive.count", count},         {"drive.read", "8 GB/s"},
                {"drive.write", "4 GB/s"},      {"drive.latency", "100 us"},
                {"drive.write_latency", "0 s"}, {"create", "0 s"},
                {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  Design design = design_with_storage("local", all);
  set(design.hosts[0], models::Role::host, "memory.bandwidth", "100 TB/s");
  return design;
}
// 128 KiB at 100 us + 131072 B / 8 GB/s = 116.384 us.
constexpr double kTurn = 116.384e-6;
constexpr double kPiece = 131072.0;

double read_seconds(const Design& design, Bytes bytes, double members = 1.0, double files = 1.0) {
  return serve(design, {.bytes = bytes, .files = files, .direct = true}, {.bytes = 1_MiB}, members)
      .read.in(unit::s);
}
double write_seconds(const Design& design, Bytes bytes, double members = 4.0) {
  return serve(design, {.bytes = 1_MiB}, {.bytes = bytes, .direct = true}, members)
      .write.in(unit::s);
}

// Reads and writes of a host group at one time; when each ended.
struct Both {
  double read = 0.0, write = 0.0;
};
Both read_and_write(const Design& design, Bytes reads, Bytes writes, double members) {
  const auto context = sim::make_fluid_context();
  models::Plant plant(design);
  plant.attach(*context, 1);
  const models::Client client = plant.client("gpu", 0, "scratch", members);
  models::StorageModel& storage = plant.storage("scratch");
  Both out;
  const auto reader = [&]() -> sim::Task<void> {
    co_await context->sleep(1_ns);  // the write is under way
    co_await storage.read(client, {.bytes = reads, .direct = true});
    out.read = context->now().in(unit::s);
  };
  const auto writer = [&]() -> sim::Task<void> {
    co_await storage.write(client, {.bytes = writes, .direct = true});
    out.write = context->now().in(unit::s);
  };
  context->spawn(writer());
  context->spawn(reader());
  context->run();
  return out;
}

}  // namespace

TEST_CASE("local: a read of several drives waits for the slowest of them") {
  // 100 us + m H_k with m = 92.1034 us / ln 100 = 20 us: 120 us from one drive; from eight, 1 MiB
  // in pieces of 128 KiB each, 154.357 us
  const std::pair<const char*, const char*> tail{"drive.latency_p99", "192.1034037 us"};
  CHECK(read_seconds(drives("1", {tail}), 128_KiB) == Approx(kTurn + 20e-6).epsilon(1e-6));
  const Fields wide{{"request", "1 MiB"}, {"raid.chunk", "128 KiB"}};
  Fields slow = wide;
  slow.push_back(tail);
  const double h8 = 1.0 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6 + 1.0 / 7 + 1.0 / 8;
  CHECK(read_seconds(drives("8", slow), 1_MiB) - read_seconds(drives("8", wide), 1_MiB) ==
        Approx(20e-6 * h8).epsilon(1e-6));
}

TEST_CASE("drives: the slowest of many grows as the logarithm") {
  // H_n = ln n + 0.5772 + 1 / 2n: where sums end and the series begins
  models::DriveParams p;
  p.latency = 100_us;
  p.latency_p99 = 100_us + 20_us * std::log(100.0);
  double sum = 0.0;
  for (int n = 1; n <= 200; ++n) {
    sum += 1.0 / n;
    CHECK(p.slowest(n).in(unit::us) == Approx(100.0 + 20.0 * sum).epsilon(1e-9));
  }
}

TEST_CASE("local: one reader gets one request per latency, whatever the drives can do") {
  // X(1) = 128 KiB / 116.384 us = 1.126 GB/s, from 1 drive or from 8
  for (const char* count : {"1", "8"})
    CHECK(read_seconds(drives(count), 128_MiB) == Approx(1024 * kTurn).epsilon(1e-9));
}

TEST_CASE("local: a range that is asked for as it is takes one latency, however large") {
  // 100 us + 1 MiB / 8 GB/s of one drive; in pieces of 128 KiB eight times 100 us
  const Design design = drives("1");
  const auto took = [&](bool as_asked) {
    return serve(design, {.bytes = 1_MiB, .direct = true, .as_asked = as_asked}, {.bytes = 1_MiB},
                 1.0)
        .read.in(unit::s);
  };
  CHECK(took(true) == Approx(100e-6 + 1048576.0 / 8e9).epsilon(1e-6));
  CHECK(took(false) == Approx(8 * 100e-6 + 1048576.0 / 8e9).epsilon(1e-6));
}

TEST_CASE("local: a call is one request, whatever others read ahead") {
  // 100 us + 4 KiB / 8 GB/s = 100.512 us, ten of them one after the other ten times as long; eight
  // at one time: 100 us, then 32 KiB of the drive. Those that wait for each other do so at each.
  for (const char* depth : {"1", "8", "64"}) {
    const Design design = drives("1", {{"depth", depth}});
    const auto took = [&](double files, double members, double together = 1.0) {
      return serve(design,
                   {.bytes = 4_KiB * files,
                    .files = files,
                    .direct = true,
                    .as_asked = true,
                    .together = together},
                   {.bytes = 1_MiB}, members)
          .read.in(unit::us);
    };
    CHECK(took(1.0, 1.0) == Approx(100.512).epsilon(1e-6));
    CHECK(took(10.0, 1.0) == Approx(1005.12).epsilon(1e-6));
    // 4 hosts, two each
    CHECK(took(1.0, 8.0) == Approx(100.0 + 2 * 0.512).epsilon(1e-6));
    CHECK(took(10.0, 8.0, 2.0) == Approx(10 * (100.0 + 2 * 0.512)).epsilon(1e-6));
  }
}

TEST_CASE("local: the queue depth curve rises with the readers, then stands at the drive's rate") {
  // 4 hosts: q readers each. X(q) = min(q / (L + s / b), IOPS, b / s), s = 128 KiB: 8 GB/s at q = 8
  for (const double q : {1.0, 2.0, 4.0, 7.0, 8.0, 16.0, 64.0}) {
    const double rate = std::min(q * kPiece / kTurn, 8e9);
    CHECK(read_seconds(drives("1"), 128_MiB, 4.0 * q) ==
          Approx(q * 128 * 1048576.0 / rate).epsilon(1e-6));
  }
}

TEST_CASE("local: small random reads stop at the IOPS of the drives") {
  // 200 readers a host of 4 KiB: 200 / 100.5 us would be 1.99 M/s; 1 drive serves 1 M/s, 4 do not
  // limit: 4000 files of 4 KiB each, one after the other
  const auto seconds = [](const char* count) {
    return read_seconds(drives(count), 4096000_B * 4.0, 800.0, 4000.0);
  };
  CHECK(seconds("1") == Approx(200 * 4000 / 1e6).epsilon(1e-6));
  CHECK(seconds("4") == Approx(4000 * (100e-6 + 4096 / 8e9)).epsilon(1e-6));
}

TEST_CASE("local: a request larger than a chunk is read from several drives at one time") {
  // 2 MiB over 4 chunks of 512 KiB: 100 us + 512 KiB / 8 GB/s
  const Design design = drives("8", {{"request", "2 MiB"}, {"raid.chunk", "512 KiB"}});
  CHECK(read_seconds(design, 2_MiB) == Approx(100e-6 + 524288 / 8e9).epsilon(1e-9));
}

TEST_CASE("local: four D7-PS1010 in RAID 0 reach what was published, within 3 %") {
  // 4 x 14.5 GB/s = 54.0 GiB/s read, 4 x 10.5 = 39.1 GiB/s written; measured 53.0 and 39.5
  // (gds-bench.farmgpu.net, sequential, large blocks)
  const Design design = drives("4", {{"drive.read", "14.5 GB/s"},
                                     {"drive.write", "10.5 GB/s"},
                                     {"request", "16 MiB"},
                                     {"depth", "16"}});
  const double read = 64 / read_seconds(design, 64_GiB, 4.0);
  CHECK(read == Approx(53.0).epsilon(0.03));
  CHECK(64 / write_seconds(design, 64_GiB) == Approx(39.5).epsilon(0.03));
}

TEST_CASE("local: parity and mirrors cost writes, not reads") {
  // 8 GB in each host on 4 drives of 4 GB/s: 4/4, 4/3, 4/2 and 2 bytes written for one
  const auto seconds = [](const char* level) {
    return write_seconds(drives("4", {{"raid.level", level}}), 8_GB);
  };
  CHECK(seconds("0") == Approx(8.0 / 16).epsilon(1e-9));
  CHECK(seconds("5") == Approx(8.0 / 16 * 4 / 3).epsilon(1e-9));
  CHECK(seconds("6") == Approx(8.0 / 16 * 2).epsilon(1e-9));
  CHECK(seconds("10") == Approx(8.0 / 16 * 2).epsilon(1e-9));
}

TEST_CASE("local: reads and writes share the time of the drives") {
  // Per host and drive: 16 GB read at 8 GB/s and 8 GB written at 4 GB/s need 2 s each of drive
  // time; together both end after 4 s. Alone either takes 2 s.
  const Design design = drives("1", {{"depth", "1024"}, {"drive.read_slowdown", "1"}});
  const Both both = read_and_write(design, 16_GB, 8_GB, 4.0);
  CHECK(both.read == Approx(4.0).epsilon(1e-6));
  CHECK(both.write == Approx(4.0).epsilon(1e-6));
}

TEST_CASE("local: reads alongside a write have the longer latency") {
  // One reader of 128 KiB pieces for 1 ms, a write of 40 GB on 8 drives alongside it: L doubles
  const Design design = drives("8", {{"drive.read_slowdown", "2"}});
  const Both both = read_and_write(design, 1_MiB, 40_GB, 4.0);
  CHECK(both.read == Approx(8 * (kTurn + 100e-6)).epsilon(1e-6));
}

TEST_CASE("local: a burst buffer fills at the difference of the rates, then the drive is slow") {
  // One drive takes 12 GB at 6 GB/s while 2 GB/s drain: full after 3 s and 18 GB; the remaining
  // 2 GB at 2 GB/s: 4 s
  const Design design = drives(
      "1", {{"drive.write", "2 GB/s"}, {"drive.burst_write", "6 GB/s"}, {"drive.burst", "12 GB"}});
  CHECK(write_seconds(design, 18_GB) == Approx(3.0).epsilon(1e-9));
  CHECK(write_seconds(design, 20_GB) == Approx(4.0).epsilon(1e-9));
}

TEST_CASE("local: what drains while a drive is slow makes no room for a burst") {
  // As above the buffer is full after 20 GB. In 3 s 6 GB drain: 9 GB at 6 GB/s, then 11 at 2 GB/s.
  // After the second, at once: nothing is free, 10 s.
  const auto context = sim::make_fluid_context();
  models::Plant plant(drives(
      "1", {{"drive.write", "2 GB/s"}, {"drive.burst_write", "6 GB/s"}, {"drive.burst", "12 GB"}}));
  plant.attach(*context, 1);
  const models::Client client = plant.client("gpu", 0, "scratch", 4.0);
  std::vector<double> took;
  const auto writer = [&]() -> sim::Task<void> {
    for (const Seconds pause : {0_s, 3_s, 0_s}) {
      co_await context->sleep(pause);
      const Seconds began = context->now();
      co_await plant.storage("scratch").write(client, {.bytes = 20_GB, .direct = true});
      took.push_back((context->now() - began).in(unit::s));
    }
  };
  context->spawn(writer());
  context->run();
  REQUIRE(took.size() == 3);
  CHECK(took[0] == Approx(4.0).epsilon(1e-9));
  CHECK(took[1] == Approx(7.0).epsilon(1e-9));
  CHECK(took[2] == Approx(10.0).epsilon(1e-9));
}

TEST_CASE("local: a disk seeks before every random request, and its spindles add up") {
  // 115 kB images: 12.2 ms + 115 kB / 285 MB/s = 12.6035 ms each; 2 readers share 1 spindle or have
  // one each
  const Fields disk = {{"drive.seek", "12.2 ms"},
                       {"drive.latency", "0 s"},
                       {"drive.read", "285 MB/s"},
                       {"drive.read_iops", "1000 kops/s"}};
  const double one = 100 * (12.2e-3 + 115e3 / 285e6);
  CHECK(read_seconds(drives("1", disk), 115_kB * 100.0, 4.0, 100.0) == Approx(one).epsilon(1e-6));
  CHECK(read_seconds(drives("1", disk), 115_kB * 100.0, 8.0, 100.0) ==
        Approx(2 * one).epsilon(1e-6));
  CHECK(read_seconds(drives("2", disk), 115_kB * 100.0, 8.0, 100.0) == Approx(one).epsilon(1e-6));
}

TEST_CASE("local: a host does not borrow the drives of another") {
  // 4 hosts of one 8 GB/s drive; 8 readers in one of 4 groups have 8 GB/s, not 32
  Design design = drives("1", {{"depth", "1024"}});
  design.hosts.push_back(component(models::Role::host, "host", "idle", {{"count", "3"}}));
  set(design.hosts[0], models::Role::host, "count", "1");
  CHECK(read_seconds(design, 8_GB, 8.0) == Approx(8.0).epsilon(1e-6));
}

TEST_CASE("local: drives that decode send more bytes and leave the cores alone") {
  // 100 samples of 100 kB in 8 workers, 40 ms of decoding each on the host; or 500 MB/s on the
  // drive, with 6 times the bytes delivered
  Design design = drives("1", {{"device.decode", "500 MB/s"}, {"device.inflation", "6"}});
  CHECK(read_seconds(design, 500_MB, 4.0) ==
        Approx(1.0 + 100e-6 * std::ceil(500e6 / kPiece)).epsilon(1e-6));
  models::Plant plant(design);
  CHECK(plant.storage("scratch").decodes());
}

TEST_CASE("local: a write costs more for as long as others read, whoever began first") {
  // 40 GB at 4 GB/s are 10 s of a drive, and 30 s beside reads, which take half of it.
  const Design design = drives("1", {{"drive.write_cost", "3"}, {"depth", "1024"}});
  const Both all = read_and_write(design, 400_GB, 40_GB, 4.0);
  CHECK(all.write == Approx(60.0).epsilon(0.03));
  CHECK(all.read == Approx(all.write + (50.0 - all.write / 2)).epsilon(0.01));
  // 5 s of reads last 10: by then a sixth is written, and the rest takes 10 s x 5/6.
  CHECK(read_and_write(design, 40_GB, 40_GB, 4.0).write == Approx(10.0 + 50.0 / 6).epsilon(0.05));
  const Design equal = drives("1", {{"depth", "1024"}});
  CHECK(read_and_write(equal, 40_GB, 40_GB, 4.0).write == Approx(15.0).epsilon(0.01));
}

TEST_CASE("local: a save goes to the drives first and is read from them for the next tier") {
  // 320 GB of 4 hosts: 10 s to 2 drives of 4 GB/s, then 10 s to 8 OSTs of 4 GB/s while the drives
  // are read at 16 GB/s; the snapshot takes 10 GB / 55 GB/s
  Design design = drives("2", {{"depth", "1024"}});
  design.storage[0].id = "near";
  design.storage.push_back(
      component(models::Role::storage, "lustre", "scratch",
                {{"ost.count", "8"}, {"stripe.count", "0"}, {"client.stream", "100 GB/s"}}));
  design.jobs[0].checkpoint = component(models::Role::checkpoint, "async", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every", "40 s"},
                                         {"size", "320 GB"},
                                         {"direct", "true"},
                                         {"serializer", "none"},
                                         {"tiers", "host-memory,near,scratch"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        Approx(10.0 / 55 + 10.0 + 10.0).epsilon(0.01));
  CHECK(metric(result, "resource.storage.near.drives.throughput") * 60 ==
        Approx(2 * 320e9).epsilon(0.02));
}

}  // namespace local_test
