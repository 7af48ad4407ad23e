#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace daos_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 4 servers of 10 GB/s with networks to match, 100 us for a data request, 10 us away; clients do
// not limit unless a test says so.
Design cluster(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {
      {"server.count", "4"},        {"server.read", "10 GB/s"},    {"server.write", "10 GB/s"},
      {"client.read", "1000 GB/s"}, {"client.write", "1000 GB/s"}, {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("daos", all);
}
double write_seconds(const Design& design, Bytes each, double files = 1.0) {
  return serve(design, {.bytes = 1_MiB}, {.bytes = each, .files = files, .writers = 4}, 4.0)
      .write.in(unit::s);
}

}  // namespace

TEST_CASE("daos: an open is two key lookups") {
  // 2 x (10 us + 30 us): 12.6 threads at 420 k lookups/s, rounded to 13, answer in 30.95 us
  const Timed t = serve(cluster(), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::us) == Approx(2 * (10.0 + 13 / 0.42)).epsilon(1e-9));
}

TEST_CASE("daos: the client sends k + p cells for k") {
  // 4 x 16 MiB x 1000 at 40 GB/s: 16+3 sends 19/16 of them, and the servers hold as much
  const Bytes each = 16000_MiB;
  const double plain = (each * 4.0 / 40_GBps).in(unit::s);
  CHECK(write_seconds(cluster(), each) == Approx(plain * 19 / 16).epsilon(0.01));
  CHECK(write_seconds(cluster({{"object.parity", "0"}}), each) == Approx(plain).epsilon(0.01));
}

TEST_CASE("daos: less than a stripe is kept 1 + p times") {
  // 4 x 1000 files of 1 MiB (half a stripe of 16 x 128 KiB): four times their bytes at 40 GB/s, on
  // 32 cells each, one a target; then 1000 commits of 0.1 ms and two round trips, and creates of
  // 10 + 30 us
  const double bytes = (1000_MiB * (4.0 * 4.0) / 40_GBps).in(unit::s);
  const double serial = 1000 * (100e-6 + 20e-6 + 10e-6) + 1000 * 13 / 438e3;
  CHECK(write_seconds(cluster({{"server.targets", "8"}}), 1000_MiB, 1000.0) ==
        Approx(bytes + serial).epsilon(0.01));
}

TEST_CASE("daos: the dfuse daemon limits a host in bytes of its users") {
  // 8 processes on 4 hosts of 2 GB/s each: 8 x 1 GB in 1 s, read and written
  const Design design = cluster({{"client.read", "2 GB/s"}, {"client.write", "2 GB/s"}});
  const Timed t = serve(design, {.bytes = 1_GB}, {.bytes = 1000_MiB, .writers = 8}, 8.0);
  CHECK(t.read.in(unit::s) == Approx(1.0).epsilon(1e-3));
  CHECK(t.write.in(unit::s) == Approx((1000_MiB / 1_GBps).in(unit::s)).epsilon(1e-2));
}

TEST_CASE("daos: requests of less than a stripe are kept 1 + p times, too") {
  // 4 x 1000 requests of 1 MiB to open files, each answered in 10 + 100 us
  const Timed t = serve(cluster({{"server.targets", "8"}}), {.bytes = 1_MiB},
                        {.bytes = 1000_MiB, .files = 0.0, .requests = 1000.0, .writers = 4}, 4.0);
  CHECK(t.write.in(unit::s) ==
        Approx((1000_MiB * 16.0 / 40_GBps).in(unit::s) + 1000 * 110e-6).epsilon(0.01));
}

TEST_CASE("daos: parity of small files is not what the daemon's limit counts") {
  // 4 x 1000 files of 1 MiB, which go out four times: 2 GB/s of users' bytes a host, or 4 GB/s of
  // a port; then what they wait for one by one, as above
  const double serial = 1000 * (100e-6 + 20e-6 + 10e-6) + 1000 * 13 / 438e3;
  const double alone = (1000_MiB / 2_GBps).in(unit::s);
  Design design = cluster({{"client.write", "2 GB/s"}, {"server.targets", "8"}});
  CHECK(write_seconds(design, 1000_MiB, 1000.0) == Approx(alone + serial).epsilon(0.01));
  set(design.hosts[0], models::Role::host, "nic.rate", "4 GB/s");
  set(design.hosts[0], models::Role::host, "nic.count", "1");
  set(design.hosts[0], models::Role::host, "nic.efficiency", "100 %");
  CHECK(write_seconds(design, 1000_MiB, 1000.0) == Approx(2.0 * alone + serial).epsilon(0.01));
}

TEST_CASE("daos: the servers' network limits them") {
  // 4 hosts read 40 GB over 4 x 5 GB/s
  const Design design = cluster({{"server.nic", "5 GB/s"}});
  CHECK(serve(design, {.bytes = 10_GB}, {.bytes = 1_MiB}, 4.0).read.in(unit::s) ==
        Approx(2.0).epsilon(1e-3));
}

TEST_CASE("daos: reads are as fast as targets read, however slowly they write") {
  // 4 hosts read 40 GB from 4 x 20 GB/s, or write as much at 4 x 5 GB/s
  const Design design = cluster({{"server.read", "20 GB/s"},
                                 {"server.write", "5 GB/s"},
                                 {"server.nic", "1 TB/s"},
                                 {"object.parity", "0"}});
  const Timed t = serve(design, {.bytes = 10_GB}, {.bytes = 10_GB, .writers = 4}, 4.0);
  CHECK(t.read.in(unit::s) == Approx(0.5).epsilon(1e-3));
  CHECK(t.write.in(unit::s) == Approx(2.0).epsilon(1e-2));
}

TEST_CASE("daos: small files keep as many targets busy as they lie on") {
  // 64 readers of files of one cell on 4 x 16 targets: 64 / (64 + 63) of 40 GB/s
  Design design = cluster({{"server.targets", "16"}, {"server.nic", "1 TB/s"}});
  set(design.hosts[0], models::Role::host, "memory.bandwidth", "100 TB/s");
  JobDesign& job = design.jobs[0];
  job.dataset = component(models::Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", "100 kB"}, {"samples", "1e12"}});
  job.loader = component(models::Role::loader, "pytorch", "loader", {{"workers", "2"}});
  const models::Plant plant(design);
  const graph::NodeId source = plant.storage("scratch").read_source();
  const Rate flow =
      plant.topology().max_flow({&source, 1}, plant.mounts("gpu", "scratch", true)).value;
  CHECK(flow.in(unit::GBps) == Approx(40.0 * 64 / 127).epsilon(1e-9));
}

TEST_CASE("daos: a small file is as fast as the targets that have its cells") {
  // 4 x 16 targets of 62.5 MB/s, files of 1 MB: 16 ms from one, or to one; eight writers each have
  // one of the others at their target 1 / 64 of the time. Files one after the other wait besides:
  // commits, and what opens and creates do.
  const auto on = [](const char* cell) {
    return cluster({{"server.targets", "16"},
                    {"server.read", "1 GB/s"},
                    {"server.write", "1 GB/s"},
                    {"server.service", "0 s"},
                    {"object.data", "1"},
                    {"object.parity", "0"},
                    {"object.cell", cell},
                    {"commit", "0 s"}});
  };
  const auto serves = [&](const char* cell, double members) {
    return serve(on(cell), {.bytes = 1_MB}, {.bytes = 100_MB, .files = 100, .writers = members},
                 members);
  };
  CHECK(serves("1 MB", 1.0).read.in(unit::ms) == Approx(16.0).epsilon(2e-3));
  CHECK(serves("1 MB", 8.0).read.in(unit::ms) == Approx(16.0).epsilon(2e-3));
  CHECK(serves("500 kB", 8.0).read.in(unit::ms) == Approx(8.0).epsilon(2e-3));
  CHECK(serves("1 MB", 1.0).write.in(unit::s) == Approx(1.6).epsilon(0.01));
  CHECK(serves("1 MB", 8.0).write.in(unit::s) == Approx(1.6 * (1.0 + 7.0 / 64)).epsilon(0.01));
}

}  // namespace daos_test
