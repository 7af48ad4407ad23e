#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace beegfs_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 8 targets of 2 GB/s that take 250 us besides the data, 10 us away; copies do not limit.
Design cluster(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"target.count", "8"},
                                                          {"target.read", "2 GB/s"},
                                                          {"target.write", "2 GB/s"},
                                                          {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("beegfs", all);
}
// 512 KiB, one request at a time to one target.
Rate chunk_rate() { return 512_KiB / (260_us + 512_KiB / 2_GBps); }

}  // namespace

TEST_CASE("beegfs: a stream has one chunk in flight to each of its targets") {
  const Timed t = serve(cluster(), {.bytes = 1_GB, .round_trips = 0}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::s) == Approx((1_GB / (4.0 * chunk_rate())).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("beegfs: a file of two chunks lies on two targets") {
  const Timed t = serve(cluster(), {.bytes = 1_MiB, .round_trips = 0}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx((1_MiB / (2.0 * chunk_rate())).in(unit::us)).epsilon(1e-6));
}

TEST_CASE("beegfs: connections to the servers limit a host") {
  // 8 readers on one host, 1 server, 2 connections: two chunks in flight for all of them
  Design design = cluster({{"server.count", "1"}, {"client.connections", "2"}});
  set(design.hosts[0], models::Role::host, "count", "1");
  const Timed t = serve(design, {.bytes = 100_MB, .round_trips = 0}, {.bytes = 1_MiB}, 8.0);
  CHECK(t.read.in(unit::s) == Approx((800_MB / (2.0 * chunk_rate())).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("beegfs: new files are placed at random, so the fullest target is the last to finish") {
  // 8 files of one chunk each on 8 targets, in turn: one each. At random all are as fast only in
  // 8! of 8^8 draws, 0.24 %: some target holds two or more.
  const auto write = [](const char* placement) {
    return serve(cluster({{"placement", placement},
                          {"stripe.count", "1"},
                          {"stripe.size", "1 GB"},
                          {"client.connections", "1000"}}),
                 {.bytes = 1_MiB}, {.bytes = 1_GB, .writers = 8}, 8.0)
        .write.in(unit::s);
  };
  CHECK(write("round-robin") == Approx(0.5).epsilon(0.02));
  CHECK(write("random") >= 2 * 0.5);
}

TEST_CASE("beegfs: more metadata servers do not speed up creates in one directory") {
  // 1000 files at 5 kops/s: 200 ms
  const auto write = [](const char* servers) {
    return serve(cluster({{"mds.count", servers}}), {.bytes = 1_MiB},
                 {.bytes = 1_B, .writers = 1000}, 1000.0)
        .write.in(unit::ms);
  };
  CHECK(write("8") == Approx(200.0).epsilon(0.08));
  CHECK(write("64") == Approx(200.0).epsilon(0.05));
}

}  // namespace beegfs_test
