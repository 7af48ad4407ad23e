#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace weka_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 18 backends of 2 GB/s, 150 us for a data request, 10 us away; clients do not limit unless a test
// says so.
Design cluster(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"backend.count", "18"},
                                                          {"backend.read", "2 GB/s"},
                                                          {"backend.write", "2 GB/s"},
                                                          {"client.core", "1000 GB/s"},
                                                          {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("weka", all);
}
double write_seconds(const Design& design) {
  return serve(design, {.bytes = 1_MiB}, {.bytes = 8_GB, .writers = 4}, 4.0).write.in(unit::s);
}

}  // namespace

TEST_CASE("weka: a small read is a round trip, a service time and its bytes") {
  // 10 + 150 us + 36 kB over 18 x 2 GB/s (1 us)
  const Timed t = serve(cluster(), {.bytes = 36_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(161.0).epsilon(1e-6));
}

TEST_CASE("weka: a byte written is (N + 2) / N bytes on drives") {
  // 32 GB over 36 GB/s of drives: 16+2 makes 36 GB of them
  CHECK(write_seconds(cluster()) == Approx(1.0).epsilon(0.01));
  CHECK(write_seconds(cluster({{"stripe.data", "4"}})) == Approx(32.0 * 6 / 4 / 36).epsilon(0.01));
}

TEST_CASE("weka: a small cluster has narrow stripes") {
  // 6 backends hold 4+2 at most: 32 GB x 6 / 4 over 12 GB/s
  CHECK(write_seconds(cluster({{"backend.count", "6"}})) == Approx(4.0).epsilon(0.01));
}

TEST_CASE("weka: writes cross the backends' network again on their way to the drives") {
  // 16+2: 1 + 18/16 times 32 GB, in and out, over 18 x 1 GB/s
  const Design design = cluster({{"backend.nic", "1 GB/s"}});
  CHECK(write_seconds(design) == Approx(32.0 * (1 + 18.0 / 16) / 18).epsilon(0.01));
}

TEST_CASE("weka: the client's cores are all a host has") {
  // 8 processes on 4 hosts, 2 cores of 1 GB/s each: 8 x 1 GB at 8 GB/s; one process uses one core
  const Design design = cluster({{"client.core", "1 GB/s"}, {"client.cores", "2"}});
  CHECK(serve(design, {.bytes = 1_GB}, {.bytes = 1_MiB}, 8.0).read.in(unit::s) ==
        Approx(1.0).epsilon(1e-3));
  CHECK(serve(design, {.bytes = 1_GB}, {.bytes = 1_MiB}, 1.0).read.in(unit::s) ==
        Approx(1.0).epsilon(1e-3));
  CHECK(serve(design, {.bytes = 1_GB}, {.bytes = 1_MiB}, 16.0).read.in(unit::s) ==
        Approx(2.0).epsilon(1e-3));
}

}  // namespace weka_test
