#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
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
  // 4 x 1000 files of 1 MiB (half a stripe of 16 x 128 KiB): four times their bytes at 40 GB/s,
  // then 1000 commits of 0.1 ms and two round trips, and creates of 10 + 30 us
  const double bytes = (1000_MiB * (4.0 * 4.0) / 40_GBps).in(unit::s);
  const double serial = 1000 * (100e-6 + 20e-6 + 10e-6) + 1000 * 13 / 438e3;
  CHECK(write_seconds(cluster(), 1000_MiB, 1000.0) == Approx(bytes + serial).epsilon(0.01));
}

TEST_CASE("daos: the dfuse daemon limits a host in bytes of its users") {
  // 8 processes on 4 hosts of 2 GB/s each: 8 x 1 GB in 1 s, read and written
  const Design design = cluster({{"client.read", "2 GB/s"}, {"client.write", "2 GB/s"}});
  const Timed t = serve(design, {.bytes = 1_GB}, {.bytes = 1000_MiB, .writers = 8}, 8.0);
  CHECK(t.read.in(unit::s) == Approx(1.0).epsilon(1e-3));
  CHECK(t.write.in(unit::s) == Approx((1000_MiB / 1_GBps).in(unit::s)).epsilon(1e-2));
}

TEST_CASE("daos: the servers' network limits them") {
  // 4 hosts read 40 GB over 4 x 5 GB/s
  const Design design = cluster({{"server.nic", "5 GB/s"}});
  CHECK(serve(design, {.bytes = 10_GB}, {.bytes = 1_MiB}, 4.0).read.in(unit::s) ==
        Approx(2.0).epsilon(1e-3));
}

}  // namespace daos_test
