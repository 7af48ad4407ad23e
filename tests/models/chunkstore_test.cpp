#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace chunkstore_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 4 nodes of 4 targets, 4 GB/s from drives, 8 GB/s of network, 200 us for a request, 10 us away;
// clients do not limit.
Design store(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {
      {"node.count", "4"},          {"node.targets", "4"},  {"node.read", "4 GB/s"},
      {"node.write", "4 GB/s"},     {"node.nic", "8 GB/s"}, {"client.stream", "1000 GB/s"},
      {"client.in_flight", "10000"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("chunkstore", all);
}

}  // namespace

TEST_CASE("chunkstore: a small read is a round trip, a service time and its bytes") {
  // 10 + 200 us + 16 kB from one target of 1 GB/s (16 us)
  const Timed t = serve(store(), {.bytes = 16_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(226.0).epsilon(1e-3));
}

TEST_CASE("chunkstore: a chain writes every copy, and any copy is read") {
  // 32 GB over 16 GB/s of drives, three times; read once
  CHECK(seconds_to_write(store()) == Approx(6.0).epsilon(0.01));
  const Timed t = serve(store(), {.bytes = 8_GB}, {.bytes = 1_MiB}, 4.0);
  CHECK(t.read.in(unit::s) == Approx(2.0).epsilon(0.01));
}

TEST_CASE("chunkstore: a written byte crosses as many networks as it has copies") {
  // 32 GB x 3 over 4 x 2 GB/s
  CHECK(seconds_to_write(store({{"node.nic", "2 GB/s"}})) == Approx(12.0).epsilon(0.01));
}

TEST_CASE("chunkstore: a chain answers when its last copy is written") {
  // One chunk of 1 MiB in flight over three nodes of 210 us and 1 MiB / 1 GB/s (1049 us) each
  const Design design = store({{"client.in_flight", "1"}});
  const Seconds chunk = 3.0 * (210_us + 1_MiB / 1_GBps);
  CHECK(serve(design, {.bytes = 1_MiB}, {.bytes = 100_MiB}).write.in(unit::ms) ==
        Approx((100.0 * chunk).in(unit::ms)).epsilon(0.02));
}

TEST_CASE("chunkstore: what limits a client is what it writes, without its parity") {
  // 9+6 in pieces of 1 MiB: a file of one piece goes out 15 times, to 16 GB/s. 4 hosts of 0.1 GB/s
  // write 64 MiB each in such files, which they create and commit one by one.
  const Design coded = store(
      {{"code.data", "9"}, {"code.parity", "6"}, {"client.write", "0.1 GB/s"}, {"commit", "0 s"}});
  const Timed t =
      serve(coded, {.bytes = 1_MiB}, {.bytes = 64_MiB, .files = 64.0, .writers = 4}, 4.0);
  const double one_by_one = 64 * (300e-6 + 3 * 10e-6);
  CHECK(t.write.in(unit::s) == Approx((64_MiB / 0.1_GBps).in(unit::s) + one_by_one).epsilon(0.01));
}

TEST_CASE("chunkstore: a chain takes in what each of its targets does") {
  // One file on 2 chains of targets of 1 GB/s, in 1 to 3 copies: 32 GB at 2 GB/s
  for (const char* copies : {"1", "2", "3"}) {
    const Design design =
        store({{"replicas", copies}, {"stripe.count", "2"}, {"node.service", "0 s"}});
    const Timed t =
        serve(design, {.bytes = 1_MiB},
              {.bytes = 8_GB, .writers = 4, .sharing = models::FileSharing::aligned}, 4.0);
    CHECK(t.write.in(unit::s) == Approx(16.0).epsilon(0.01));
  }
}

TEST_CASE("chunkstore: a coding client sends the parity") {
  // 9+6: 32 GB become 53.3 GB over 16 GB/s of drives; from one host with 2 GB/s, 8 GB take
  // 15/9 x 8 / 2 s
  const Design coded = store({{"code.data", "9"}, {"code.parity", "6"}});
  CHECK(seconds_to_write(coded) == Approx(32.0 * 15 / 9 / 16).epsilon(0.01));
  Design narrow = coded;
  set(narrow.hosts[0], models::Role::host, "count", "1");
  set(narrow.hosts[0], models::Role::host, "nic.rate", "2 GB/s");
  set(narrow.hosts[0], models::Role::host, "nic.count", "1");
  set(narrow.hosts[0], models::Role::host, "nic.efficiency", "100 %");
  CHECK(seconds_to_write(narrow, 1.0) == Approx(8.0 * 15 / 9 / 2).epsilon(0.01));
}

}  // namespace chunkstore_test
