#include <catch2/catch.hpp>
#include <cmath>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace cephfs_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 16 OSDs of 1 GB/s, evenly loaded, 1 ms for a request, 10 us away; clients do not limit.
Design store(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"osd.count", "16"},
                                                          {"osd.read", "1 GB/s"},
                                                          {"osd.write", "1 GB/s"},
                                                          {"pg.deviation", "0"},
                                                          {"replicas", "1"},
                                                          {"client.stream", "1000 GB/s"},
                                                          {"client.read_ahead", "64 GiB"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("cephfs", all);
}

}  // namespace

TEST_CASE("cephfs: a small read is a round trip, a service time and its bytes") {
  // 10 + 1000 us + 16 kB from one OSD of 1 GB/s
  const Timed t = serve(store(), {.bytes = 16_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(1010.0 + 16.0).epsilon(1e-3));
}

TEST_CASE("cephfs: a stream that waits for the bytes of its OSDs is limited by them") {
  // O_DIRECT, an object of 4 MiB at a time: 42 ms of an OSD of 100 MB/s, a turn of 1 ms. OSDs of
  // 100 GB/s: the turns are what is left.
  const auto limit = [](const char* osd) {
    Design design = one_reader("webdataset", {{"sample", "10 MB"}, {"shard", "1 GiB"}}, "1 ms");
    design.storage = store({{"osd.count", "200"}, {"osd.read", osd}}).storage;
    set(design.jobs[0].dataset.value(), models::Role::dataset, "direct", "true");
    return run(design).limited_by.at("job.train");
  };
  CHECK(limit("100 MB/s") == "storage.scratch.osd");
  CHECK(limit("100 GB/s") == "storage.scratch.client.stream");
}

TEST_CASE("cephfs: every copy is written before the answer") {
  // 32 GB over 16 GB/s of OSDs, three times
  CHECK(seconds_to_write(store()) == Approx(2.0).epsilon(0.01));
  CHECK(seconds_to_write(store({{"replicas", "3"}})) == Approx(6.0).epsilon(0.01));
}

TEST_CASE(
    "cephfs: an erasure code writes (k + m) / k of a large file and whole stripes of a small") {
  // 4+2: 32 GB x 6/4 over 16 GB/s. 4096 files of 4 KiB by 4 writers are one stripe of 24 KiB each:
  // 4 x 4096 x 24 KiB over 6 GB/s, where all have a piece of each
  const Design coded = store({{"code.data", "4"}, {"code.parity", "2"}});
  CHECK(seconds_to_write(coded) == Approx(3.0).epsilon(0.01));
  Design fast = store({{"osd.count", "6"},
                       {"code.data", "4"},
                       {"code.parity", "2"},
                       {"commit", "0 s"},
                       {"mds.creates", "1000 Mops/s"},
                       {"directory.creates", "1000 Mops/s"},
                       {"osd.service", "0 s"},
                       {"osd.ops", "1000 Mops/s"},
                       {"mds.service", "0 s"}});
  set(fast.fabric, models::Role::fabric, "rtt", "0 s");
  const Timed t =
      serve(fast, {.bytes = 1_MiB}, {.bytes = 16_MiB, .files = 4096, .writers = 4}, 4.0);
  CHECK(t.write.in(unit::us) == Approx((4.0 * 4096 * 24_KiB / 6_GBps).in(unit::us)).epsilon(0.01));
}

TEST_CASE("cephfs: a request of less than a stripe is kept as a file of its size is") {
  // 4 x 1000 requests of one piece, which are six, to 6 GB/s; each answered in two turns
  const Design coded =
      store({{"osd.count", "6"}, {"code.data", "4"}, {"code.parity", "2"}, {"code.unit", "1 MiB"}});
  const Timed t = serve(coded, {.bytes = 1_MiB},
                        {.bytes = 1000_MiB, .files = 0.0, .requests = 1000.0, .writers = 4}, 4.0);
  CHECK(t.write.in(unit::s) ==
        Approx((1000_MiB * 24.0 / 6_GBps).in(unit::s) + 1000 * 2.02e-3).epsilon(0.01));
}

TEST_CASE("cephfs: a small file is written as fast as the OSDs that have its objects") {
  // Files of 4 MB: each other writer is at an OSD of mine m / 16 of the time, m as many as an
  // object has copies, or pieces of a code: four of six hold what is written.
  const auto takes = [](std::vector<std::pair<const char*, const char*>> kept, double writers) {
    kept.insert(kept.end(), {{"commit", "0 s"},
                             {"mds.creates", "1000 Mops/s"},
                             {"mds.service", "0 s"},
                             {"osd.service", "0 s"},
                             {"osd.ops", "1000 Mops/s"},
                             {"code.unit", "1 MB"},
                             {"directory.creates", "1000 Mops/s"}});
    Design design = store(kept);
    set(design.fabric, models::Role::fabric, "rtt", "0 s");
    return serve(design, {.bytes = 1_MiB}, {.bytes = 4000_MB, .files = 1000, .writers = writers},
                 writers)
        .write.in(unit::s);
  };
  CHECK(takes({}, 1.0) == Approx(4.0).epsilon(1e-3));
  CHECK(takes({}, 4.0) == Approx(4.0 * (1.0 + 3.0 / 16)).epsilon(1e-3));
  CHECK(takes({{"object", "2 MB"}}, 4.0) == Approx(2.0 * (1.0 + 3.0 * 2 / 16)).epsilon(1e-3));
  CHECK(takes({{"replicas", "2"}}, 4.0) == Approx(4.0 * (1.0 + 3.0 * 2 / 16)).epsilon(1e-3));
  CHECK(takes({{"code.data", "4"}, {"code.parity", "2"}}, 4.0) ==
        Approx(1.0 * (1.0 + 3.0 * 6 / 16)).epsilon(1e-3));
}

TEST_CASE("cephfs: a coded read waits for the primary and for the other OSDs") {
  const Timed t = serve(store({{"code.data", "4"}}), {.bytes = 16_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(2 * 1010.0 + 16.0).epsilon(1e-3));
}

TEST_CASE("cephfs: copies cross the servers' network, or one of their own") {
  // 32 GB arrive once from clients and twice from other OSDs over 4 x 1 GB/s; with a network of
  // their own the two copies take 4 x 1 GB/s alone
  const Design one = store({{"replicas", "3"}, {"server.count", "4"}, {"server.nic", "1 GB/s"}});
  CHECK(seconds_to_write(one) == Approx(24.0).epsilon(0.01));
  const Design two = store({{"replicas", "3"},
                            {"server.count", "4"},
                            {"server.nic", "1 GB/s"},
                            {"server.back_nic", "1 GB/s"}});
  CHECK(seconds_to_write(two) == Approx(16.0).epsilon(0.01));
}

TEST_CASE("cephfs: the fullest placement group count decides") {
  // 20 groups above a mean of 100: the fullest OSD has 1.2 times its share
  CHECK(seconds_to_write(store({{"pg.deviation", "20"}})) == Approx(2.4).epsilon(0.01));
  // nobody balances primaries: 16 OSDs of 50 each have 1 + sqrt(2 ln 16 / 50) at most; 256 readers
  // ask for two objects each
  const Design copies = store({{"replicas", "2"}, {"pg.per_osd", "100"}});
  const Timed t = serve(copies, {.bytes = 1_GB}, {.bytes = 1_MiB}, 256.0);
  CHECK(t.read.in(unit::s) ==
        Approx(256.0 / 16 * (1 + std::sqrt(2 * std::log(16.0) / 50))).epsilon(0.01));
}

TEST_CASE("cephfs: one OSD serves so many requests a second") {
  // Files of 4 kB at 1 kops/s are 4 MB/s from each of 16 OSDs: 64 x 1 MB
  Design design = store({{"osd.ops", "1 kops/s"}});
  design.jobs[0].dataset =
      component(models::Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "4 kB"}, {"samples", "100000"}});
  design.jobs[0].loader =
      component(models::Role::loader, "pytorch", "loader", {{"workers", "1000"}});
  const Timed t = serve(design, {.bytes = 1_MB, .round_trips = 0}, {.bytes = 1_MiB}, 64.0);
  CHECK(t.read.in(unit::s) == Approx(1.0).epsilon(0.02));
}

TEST_CASE("cephfs: a reader asks ahead for several objects, each on an OSD") {
  // 2 objects of 4 MiB in flight: 1010 us and 4 MiB / 1 GB/s each
  const Design design = store({{"client.read_ahead", "8 MiB"}});
  CHECK(serve(design, {.bytes = 1_GiB, .round_trips = 0}, {.bytes = 1_MiB}).read.in(unit::ms) ==
        Approx((128.0 * (1010_us + 4_MiB / 1_GBps)).in(unit::ms)).epsilon(1e-6));
}

}  // namespace cephfs_test
