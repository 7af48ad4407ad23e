#include <catch2/catch.hpp>
#include <cmath>

#include "models/storage/lustre_osts.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace lustre_layout_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::FileSharing;
using models::Role;

namespace {

// 8 OSTs of 4 GB/s, 10 us away, that answer at once; clients do not limit.
Design lustre(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"ost.count", "8"},
                                                          {"ost.service", "0 s"},
                                                          {"client.rpcs_in_flight", "64"},
                                                          {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("lustre", all);
}

/// Files of this size are read by `workers` loaders of each of 32 GPUs.
Design reading(Design design, const char* sample, const char* samples, const char* workers) {
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"}, {"sample", sample}, {"samples", samples}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"workers", workers}});
  return design;
}

double write_seconds(const Design& design, models::WriteRequest write, double members = 1.0) {
  write.writers = members;
  return serve(design, {.bytes = 1_MiB}, write, members).write.in(unit::s);
}
double read_seconds(const Design& design, models::ReadRequest read, double members = 1.0) {
  return serve(design, read, {.bytes = 1_MiB}, members).read.in(unit::s);
}

}  // namespace

TEST_CASE("lustre: what lies on an MDT crosses it and no OST") {
  // 64 processes read 100 files of 100 kB each from one MDT of 5 GB/s; the OST has 10 MB/s
  Design design = lustre({{"ost.count", "1"},
                          {"ost.read", "10 MB/s"},
                          {"ost.write", "10 MB/s"},
                          {"mdt.data_service", "1 ns"},
                          {"client.stream_mdt", "1000 GB/s"},
                          {"dom", "1 MiB"}});
  set(design.fabric, Role::fabric, "rtt", "0 s");
  const Bytes all = Bytes::from(100 * 1e5, unit::B);
  CHECK(read_seconds(design, {.bytes = all, .files = 100}, 64.0) == Approx(0.128).epsilon(0.01));
  // of files of 1.5 MiB a third is on the OST
  CHECK(read_seconds(design, {.bytes = 1.5_MiB}, 4.0) ==
        Approx(4 * 0.5 * 1048576 / 10e6).epsilon(0.01));
  // writes: 4 x 64 files to the MDT, then commits
  CHECK(write_seconds(design, {.bytes = all, .files = 100}, 64.0) < 1.0);
}

// Cold open and read of one small file, public tuning note of Lustre 2.15.3 (48 OSTs, 4 MDTs).
// 4 and 16 KiB on an OST, 4 and 64 KiB on an MDT were fitted; the others are predictions. The file
// of 128 KiB has its first 64 KiB on the MDT.
TEST_CASE("lustre: small cold files take what was published") {
  struct Row {
    Bytes size;
    double ost, dom;  // us
  };
  const Row rows[] = {
      {4_KiB, 277, 155}, {16_KiB, 618, 168}, {64_KiB, 637, 212}, {128_KiB, 651, 599}};
  const Design on_ost = design_with_storage("lustre", {{"ost.count", "48"}, {"mdt.count", "4"}});
  Design on_mdt = on_ost;
  set(on_mdt.storage[0], Role::storage, "dom", "64 KiB");
  for (const Row& row : rows) {
    INFO(row.size.in(unit::KiB) << " KiB");
    const Timed ost = serve(on_ost, {.bytes = row.size}, {.bytes = 1_MiB});
    const Timed dom = serve(on_mdt, {.bytes = row.size}, {.bytes = 1_MiB});
    CHECK((ost.open + ost.read).in(unit::us) == Approx(row.ost).epsilon(0.03));
    CHECK((dom.open + dom.read).in(unit::us) == Approx(row.dom).epsilon(0.08));
  }
}

TEST_CASE("lustre: the parts of a file on MDT and OSTs are read at the same time") {
  // 64 KiB on the MDT: 10 + 45 us + 64 KiB / 1.08 GB/s = 116 us; 1 MiB on an OST: 10 us + 262 us
  const Design design = lustre({{"dom", "64 KiB"}});
  CHECK(read_seconds(design, {.bytes = 64_KiB}) ==
        Approx((55_us + 64_KiB / 1.08_GBps).in(unit::s)).epsilon(1e-6));
  CHECK(read_seconds(design, {.bytes = 64_KiB + 1_MiB}) ==
        Approx((10_us + 1_MiB / 4_GBps).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("lustre: of pieces of larger files those on the MDT are read there, the others are not") {
  // Answers of the MDS take 1 ms, of OSTs none: n pieces of 64 KiB from a file of k of them, of
  // which the first is on the MDT.
  const Design design =
      lustre({{"dom", "64 KiB"}, {"mdt.data_service", "1 ms"}, {"client.stream_mdt", "1000 GB/s"}});
  const auto seconds = [&](Bytes file, double pieces) {
    return read_seconds(design, {.bytes = 64_KiB * pieces, .files = pieces, .larger_file = file});
  };
  const double trips = 100 * 10e-6, bytes = 100 * 65536.0 / 4e9;
  CHECK(seconds(64_KiB * 10.0, 100) == Approx(10 * 1e-3 + trips + bytes).epsilon(0.05));
  CHECK(seconds(64_KiB * 1000.0, 100) == Approx(0.1 * 1e-3 + trips + bytes).epsilon(0.05));
  CHECK(seconds(Bytes::infinity(), 100) == Approx(trips + bytes).epsilon(0.05));
  CHECK(seconds({}, 100) == Approx(100 * 1e-3 + trips).epsilon(0.05));  // files of 64 KiB
  // A file of 1 MiB in 16 requests one after the other: the first of them asks there.
  CHECK(read_seconds(design, {.bytes = 1_MiB, .round_trips = 16}) ==
        Approx(1e-3 + 10e-6).epsilon(0.05));
}

TEST_CASE("lustre: a save is blamed on where it took longest, the MDTs or the OSTs") {
  // 32 ranks save 3.2 GB each in files of 2 MB, of which 1 MB is on an MDT of 1 or 100 GB/s: 51.2 s
  // or 0.5 s; the other half is on 8 OSTs of 4 GB/s: 1.6 s.
  const auto took = [](const char* dom, const char* mdt) {
    Design design = lustre({{"dom", dom},
                            {"mdt.read", mdt},
                            {"mdt.open", "10 Mops/s"},
                            {"mdt.create", "10 Mops/s"},
                            {"client.stream", "100 GB/s"},
                            {"client.stream_mdt", "100 GB/s"}});
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "100"},
                                           {"size", "102.4 GB"},
                                           {"files", "1600"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"}});
    return run(design).metrics;
  };
  const std::string stem = "job.train.checkpoint.took.storage.scratch.";
  const auto slow = took("1 MB", "1 GB/s"), fast = took("1 MB", "100 GB/s");
  CHECK(slow.at(stem + "mdt.data").value == Approx(52.8).epsilon(0.05));
  CHECK_FALSE(slow.contains(stem + "ost"));
  CHECK(fast.contains(stem + "ost"));
  CHECK_FALSE(fast.contains(stem + "mdt.data"));
  CHECK(took("4 MB", "1 GB/s").at(stem + "mdt.data").value == Approx(102.4).epsilon(0.05));
}

TEST_CASE("lustre: what lies on MDTs is the same, whether files stay open or not") {
  // 1000 samples of 128 KiB a file, of which the first 64 KiB are on the MDT: 1 of 2000 parts.
  const auto share = [](const char* format, Settings settings) {
    Design design = lustre({{"dom", "64 KiB"}});
    JobDesign& job = design.jobs[0];
    job.dataset = component(Role::dataset, format, "dataset", {{"on", "scratch"}});
    for (const auto& [key, text] : settings) set(*job.dataset, Role::dataset, key, text);
    job.loader = component(Role::loader, "pytorch", "loader", {});
    const RunResult result = run(design);
    const double mdt = metric(result, "resource.storage.scratch.mdt.data.throughput");
    return mdt / (mdt + metric(result, "resource.storage.scratch.ost.read.throughput"));
  };
  const auto hdf5 = [&](const char* reopen) {
    return share("hdf5", {{"sample", "128 KiB"},
                          {"samples", "2000000"},
                          {"samples_per_file", "1000"},
                          {"reopen", reopen}});
  };
  CHECK(hdf5("false") == Approx(1.0 / 2000.0).epsilon(1e-3));
  CHECK(hdf5("true") == Approx(1.0 / 2000.0).epsilon(1e-3));
  CHECK(share("tokens", {{"sample", "8 KiB"}, {"samples", "1e9"}}) == 0.0);
  CHECK(share("tokens", {{"sample", "8 KiB"}, {"samples", "1e9"}, {"window", "4 KiB"}}) == 0.0);
  CHECK(share("raw", {{"sample", "128 KiB"}, {"samples", "2000000"}}) == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("lustre: files within the MDT part are read at the rate of the MDTs") {
  // 256 readers of 64 KiB, 1000 times: 2 x 1 GB/s, not 32 GB/s of OSTs
  const Design design =
      reading(lustre({{"dom", "64 KiB"}, {"mdt.count", "2"}, {"mdt.read", "1 GB/s"}}), "64 KiB",
              "1e6", "8");
  CHECK(read_seconds(design, {.bytes = 64_KiB * 1000.0, .files = 1000, .round_trips = 0}, 256.0) ==
        Approx((64_KiB * 256e3 / 2_GBps).in(unit::s)).epsilon(0.01));
}

TEST_CASE("lustre: a progressive layout reads its components in turn") {
  // 8 MiB on one OST of 4 GB/s, then 120 MiB on all 8
  const Design design = lustre({{"pfl.end", "8 MiB"}, {"stripe.count", "0"}});
  CHECK(read_seconds(design, {.bytes = 128_MiB, .round_trips = 0}) ==
        Approx((8_MiB / 4_GBps + 120_MiB / 32_GBps).in(unit::s)).epsilon(0.01));
  CHECK(read_seconds(design, {.bytes = 8_MiB, .round_trips = 0}) ==
        Approx((8_MiB / 4_GBps).in(unit::s)).epsilon(0.01));
}

TEST_CASE("lustre: each further OST of the layout adds to the open") {
  // 7 more OSTs, 7 % of 90 us each; 80 kops/s x 90 us = 7 threads of 87.5 us
  const auto opened = [](const char* stripes) {
    return serve(reading(lustre({{"stripe.count", stripes}}), "64 MiB", "1000", "1"),
                 {.bytes = 1_MiB}, {.bytes = 1_MiB})
        .open.in(unit::us);
  };
  CHECK(opened("0") - opened("1") == Approx(7 * 6.3).epsilon(1e-6));
}

TEST_CASE("lustre: directories on few MDTs leave the others idle") {
  // 100 MDTs of one thread (10 us) and 1000 opens at once: one directory is served by one MDT
  const auto seconds = [](std::vector<std::pair<const char*, const char*>> more) {
    std::vector<std::pair<const char*, const char*>> all = {
        {"mdt.count", "100"}, {"mdt.open", "100 kops/s"}, {"mdt.service", "10 us"}};
    all.insert(all.end(), more.begin(), more.end());
    return serve(lustre(all), {.bytes = 1_MiB}, {.bytes = 1_MiB}, 1000.0).open.in(unit::us)-10.0;
  };
  CHECK(seconds({}) == Approx(100.0).epsilon(1e-6));
  CHECK(seconds({{"directory.count", "1"}}) == Approx(10e3).epsilon(1e-6));
  CHECK(seconds({{"directory.count", "1"}, {"directory.striped", "true"}}) ==
        Approx(100.0).epsilon(1e-6));
  // 100 directories drawn: the fullest MDT has 3 to 7
  CHECK(seconds({{"directory.count", "100"}}) > 290.0);
  CHECK(seconds({{"directory.count", "100"}}) < 710.0);
}

TEST_CASE("lustre: directories keep a part of an MDT busy, too") {
  // 4 MDTs of one thread (10 us), 100,000 opens: 250 ms where all are busy. Of n directories the
  // fullest MDT has f: n / f of them are busy, which is no whole number.
  const auto time = [](const char* directories) {
    const Design design = lustre({{"mdt.count", "4"},
                                  {"mdt.open", "100 kops/s"},
                                  {"mdt.service", "10 us"},
                                  {"directory.count", directories}});
    return serve(design, {.bytes = 1_MiB}, {.bytes = 1_MiB}, 100e3).open.in(unit::ms);
  };
  CHECK(time("1000000") == Approx(250.0).epsilon(0.005));
  const double fullest = time("41") / 1000.0 * 41.0;
  CHECK(fullest >= 11.0 - 0.01);
  CHECK(fullest == Approx(std::round(fullest)).epsilon(1e-3));
}

TEST_CASE("lustre: a save into one directory has one MDT unless it is striped") {
  // 1000 creates at 1000/s of one MDT, or of four
  const auto seconds = [](const char* striped, const char* creates) {
    Design design = lustre({{"mdt.count", "4"},
                            {"mdt.create", "1 kops/s"},
                            {"mdt.open", "1 kops/s"},
                            {"mdt.service", "1 ms"},
                            {"directory.striped", striped}});
    if (*creates != '\0') set(design.storage[0], Role::storage, "directory.creates", creates);
    return write_seconds(design, {.bytes = 1_kB}, 1000.0);
  };
  CHECK(seconds("false", "") == Approx(1.0).epsilon(0.01));
  CHECK(seconds("true", "") == Approx(0.25).epsilon(0.03));
  // What one directory takes is of one that is not striped.
  CHECK(seconds("false", "100 ops/s") == Approx(10.0).epsilon(0.01));
  CHECK(seconds("true", "100 ops/s") == Approx(0.25).epsilon(0.03));
}

TEST_CASE("lustre: what is no save is created in as many directories as there are") {
  // 10,000 creates at 1000/s of one MDT; of a million directories on four in a fourth of that
  const auto seconds = [](const char* directories) {
    const Design design = lustre({{"mdt.count", "4"},
                                  {"mdt.create", "1 kops/s"},
                                  {"mdt.open", "1 kops/s"},
                                  {"mdt.service", "1 ms"},
                                  {"directory.count", directories}});
    return write_seconds(design, {.bytes = 1_kB}, 10000.0);
  };
  CHECK(seconds("1") == Approx(10.0).epsilon(0.01));
  CHECK(seconds("1000000") == Approx(2.5).epsilon(0.03));
}

TEST_CASE("lustre: read-ahead and dirty bytes limit a buffered stream") {
  // 8 MiB in flight over 10 ms: 4 MiB RPCs, two at a time
  Design design = lustre({{"client.read_ahead", "8 MiB"}, {"client.dirty", "16 MiB"}});
  set(design.fabric, Role::fabric, "rtt", "10 ms");
  const Rate read = 8_MiB / (10_ms + 4_MiB / 4_GBps), write = 16_MiB / (10_ms + 4_MiB / 4_GBps);
  CHECK(read_seconds(design, {.bytes = 1_GiB, .round_trips = 0}) ==
        Approx((1_GiB / read).in(unit::s)).epsilon(1e-3));
  CHECK(write_seconds(design, {.bytes = 1_GiB}) ==
        Approx((1_GiB / write).in(unit::s)).epsilon(0.1));
  // O_DIRECT has neither, but its own limit per stripe
  CHECK(read_seconds(design, {.bytes = 1_GiB, .round_trips = 0, .direct = true}) ==
        Approx((1_GiB / 4_GBps).in(unit::s)).epsilon(1e-3));
}

TEST_CASE("lustre: all readers of a host share its read-ahead") {
  // 64 processes on 4 hosts; 1 GiB in flight over 1 s and 4 MiB at once: 1.07 GB/s a host
  Design design = reading(lustre({{"stripe.count", "0"}}), "1 GiB", "1e6", "2");
  set(design.fabric, Role::fabric, "rtt", "1 s");
  CHECK(read_seconds(design, {.bytes = 1_GiB, .round_trips = 0}, 64.0) ==
        Approx(16.0).epsilon(0.01));
}

TEST_CASE(
    "lustre: disks seek for every small request and for streams without a disk of their own") {
  // 10 ms over 10 disks is 1 ms a request. 100 kB files: 100 kB / (25 us + 1 ms) from each OST.
  const std::vector<std::pair<const char*, const char*>> disks = {{"ost.seek", "10 ms"},
                                                                  {"ost.spindles", "10"}};
  const models::LustreOsts osts(models::lustre_params(lustre(disks).storage[0]));
  CHECK((osts.reads(100_kB, 1.0) / 1_MBps) == Approx(100.0 / 1.025).epsilon(1e-6));
  CHECK((osts.reads(4_MiB, 10.0) / 4_GBps) == Approx(1.0).epsilon(1e-9));
  CHECK((osts.reads(4_MiB, 11.0) / (4_MiB / (1_ms + 4_MiB / 4_GBps))) == Approx(1.0).epsilon(1e-9));
  // a dependent request waits for its seek
  CHECK(read_seconds(lustre(disks), {.bytes = 4_kB}) == Approx(0.01001 + 1e-6).epsilon(1e-3));
}

TEST_CASE("lustre: a write of part of a stripe reads and writes parity") {
  // 8+2 of 128 KiB. One RPC of 4 MiB is 4 full stripes. 128 KiB alone: read and write it and both
  // parities, 6 drive operations for 1.25. 512 KiB: the whole stripe of 10 for 5. 1.5 MiB: 20 for
  // 15
  const models::LustreOsts osts(
      models::lustre_params(lustre({{"raid.data", "8"}, {"raid.parity", "2"}}).storage[0]));
  CHECK(osts.parity(4_MiB) == Approx(1.0).epsilon(1e-9));
  CHECK(osts.parity(128_KiB) == Approx(6 / 1.25).epsilon(1e-9));
  CHECK(osts.parity(512_KiB) == Approx(10.0 / 5).epsilon(1e-9));
  CHECK(osts.parity(1.5 * 1_MiB) == Approx(20.0 / 15).epsilon(1e-9));
  CHECK((osts.writes(128_KiB, 1.0) / 4_GBps) == Approx(1.25 / 6).epsilon(1e-9));
  // 8 writers of 1000 files of 128 KiB, one OST each
  const Design design =
      lustre({{"raid.data", "8"}, {"commit", "0 s"}, {"mdt.create", "1e9 ops/s"}});
  const Design plain = lustre({{"commit", "0 s"}, {"mdt.create", "1e9 ops/s"}});
  const models::WriteRequest small{.bytes = 125_MiB, .files = 1000};
  const double extra = write_seconds(design, small, 8.0) - write_seconds(plain, small, 8.0);
  CHECK(extra == Approx((125_MiB / 4_GBps * 3.8).in(unit::s)).epsilon(0.01));
}

TEST_CASE(
    "lustre: a shared file in aligned parts is as fast as its OSTs, in turn it waits for locks") {
  // 32 writers of 1 GB in one file on 8 OSTs. In pieces of 47,008 bytes at 4 GB/s (11.75 us) with
  // 55 us to hand the lock over: 704 MB/s from each OST.
  const Design design = lustre({{"stripe.count", "0"}});
  CHECK(write_seconds(design, {.bytes = 1_GB, .sharing = FileSharing::aligned}, 32.0) ==
        Approx(1.0).epsilon(0.01));
  const Bytes piece = Bytes::from(47008, unit::B);
  CHECK(write_seconds(design, {.bytes = 1_GB, .sharing = FileSharing::interleaved, .piece = piece},
                      32.0) ==
        Approx((32_GB / (8.0 * (piece / (55_us + piece / 4_GBps)))).in(unit::s)).epsilon(0.01));
}

TEST_CASE("lustre: files that were released are restored before their first read") {
  // Half of 100 files, opened 4 at a time: 2 restores for 2 agents, 1 s and 1 GB / 1 GB/s each; the
  // second pass finds all of them
  const Design design = reading(lustre({{"hsm.released", "50 %"},
                                        {"hsm.agents", "2"},
                                        {"hsm.rate", "1 GB/s"},
                                        {"hsm.latency", "1 s"}}),
                                "1 GB", "100", "1");
  CHECK(serve(design, {.bytes = 1_kB}, {.bytes = 1_MiB}, 4.0).open.in(unit::s) ==
        Approx(2.0).epsilon(0.001));
  // 200 opens of 100 files: 50 restores, 25 by each agent
  CHECK(serve(design, {.bytes = 200_kB, .files = 50}, {.bytes = 1_MiB}, 4.0).open.in(unit::s) ==
        Approx(50.0).epsilon(0.001));
}

TEST_CASE("lustre: a degraded OST holds up all that work together") {
  CHECK(write_seconds(lustre({{"stripe.count", "0"}}), {.bytes = 32_GB}) ==
        Approx(1.0).epsilon(0.01));
  CHECK(write_seconds(lustre({{"stripe.count", "0"}, {"ost.degraded", "1"}}), {.bytes = 32_GB}) ==
        Approx(1.0 / 0.7).epsilon(0.01));
}

TEST_CASE("lustre: the partner of a failed OSS carries two shares") {
  // 4 x 2 GB/s, then as much as if half of them were there
  const std::vector<std::pair<const char*, const char*>> servers = {
      {"stripe.count", "0"}, {"oss.count", "4"}, {"oss.nic", "2 GB/s"}};
  auto failed = servers;
  failed.push_back({"oss.failed", "1"});
  CHECK(write_seconds(lustre(servers), {.bytes = 8_GB}) == Approx(1.0).epsilon(0.01));
  CHECK(write_seconds(lustre(failed), {.bytes = 8_GB}) == Approx(2.0).epsilon(0.01));
}

TEST_CASE("lustre: a managed service gives its rate with the capacity") {
  // 8 OSTs of 1.2 TiB at 125 MB/s for each TiB: 1.2 GB/s
  const Design design =
      lustre({{"stripe.count", "0"}, {"provisioned", "125 MB/s"}, {"ost.capacity", "1.2 TiB"}});
  CHECK(write_seconds(design, {.bytes = 12_GB}) == Approx(10.0).epsilon(0.01));
}

TEST_CASE("lustre: a checkpoint in one file waits for locks when ranks write in turn") {
  // 32 ranks, 32 GB on 8 OSTs of 4 GB/s: 1 s, or 47,008 bytes every 11.75 + 55 us from each OST
  const auto saved = [](const char* shared, const char* lock = "55 us") {
    Design design = lustre({{"stripe.count", "0"}, {"lock", lock}});
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "100"},
                                           {"size", "32 GB"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"},
                                           {"shared", shared},
                                           {"piece", "47008 B"}});
    return run(design);
  };
  const char* stall = "job.train.checkpoint.stall";
  CHECK(metric(saved("no"), stall) == Approx(1.0).epsilon(0.01));
  CHECK(metric(saved("aligned"), stall) == Approx(1.0).epsilon(0.01));
  const RunResult in_turn = saved("interleaved");
  CHECK(metric(in_turn, stall) == Approx(32e9 / (8 * 47008 / (55e-6 + 47008 / 4e9))).epsilon(0.01));
  // 55 us of 66.75 are the lock's; of 5 us and 11.75 most are the OST's
  const char* duration = "job.train.checkpoint.duration";
  CHECK(in_turn.limited_by.at(duration) == "storage.scratch.ost.lock");
  CHECK(saved("interleaved", "5 us").limited_by.at(duration) == "storage.scratch.ost");
}

}  // namespace lustre_layout_test
