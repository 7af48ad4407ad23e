#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace san_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 4 ports of 2 GB/s, 300 us for a request, 10 us away; paths and CPU do not limit unless a test
// says so.
Design store(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {
      {"port.count", "4"},      {"port.rate", "2 GB/s"},      {"client.path", "1000 GB/s"},
      {"client.depth", "1000"}, {"client.cpu_per_op", "0 s"}, {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("san", all);
}

}  // namespace

TEST_CASE("san: a small read is a round trip, a service time and its bytes") {
  // 10 + 300 us + 16 kB over 4 x 2 GB/s (2 us)
  const Timed t = serve(store(), {.bytes = 16_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(312.0).epsilon(1e-3));
}

TEST_CASE("san: the answer to the first requests is waited for once") {
  // 10 + 300 us and 16 kB over 8 GB/s, of any depth; of 4 MiB in requests of 512 KiB, 2 at a time
  // over 8 GB/s: 310 us, 131 us of data, then three times 310 us and 65.5 us of a request
  const double request = 524288.0 / 8e3;
  for (const char* depth : {"1", "2", "64"})
    CHECK(serve(store({{"client.depth", depth}, {"client.path", "4 GB/s"}}),
                {.bytes = 16_kB, .direct = true, .as_asked = true}, {.bytes = 1_MiB})
              .read.in(unit::us) == Approx(312.0).epsilon(1e-3));
  CHECK(serve(store({{"client.depth", "2"}, {"client.path", "4 GB/s"}}),
              {.bytes = 4_MiB, .direct = true}, {.bytes = 1_MiB})
            .read.in(unit::us) ==
        Approx(310.0 + 2 * request + 3 * (310.0 + request)).epsilon(1e-3));
  // A call asks for all of it at one time.
  CHECK(serve(store({{"client.depth", "2"}, {"client.path", "4 GB/s"}}),
              {.bytes = 4_MiB, .direct = true, .as_asked = true}, {.bytes = 1_MiB})
            .read.in(unit::us) == Approx(310.0 + 8 * request).epsilon(1e-3));
}

TEST_CASE("san: ports add up until the controllers are busy") {
  CHECK(serve(store(), {.bytes = 8_GB}, {.bytes = 1_MiB}, 4.0).read.in(unit::s) ==
        Approx(4.0).epsilon(1e-3));
  CHECK(serve(store({{"array.read", "4 GB/s"}}), {.bytes = 8_GB}, {.bytes = 1_MiB}, 4.0)
            .read.in(unit::s) == Approx(8.0).epsilon(1e-3));
  CHECK(seconds_to_write(store({{"array.write", "2 GB/s"}})) == Approx(16.0).epsilon(0.01));
}

TEST_CASE("san: data move while locks of other files are taken") {
  // 100 writers have their files one after the other in 100 ms. 5 MB each at 1 GB/s come 5 ms after
  // the last, or 100 MB each over 4 x 2 GB/s in 1.25 s since the first; then a commit
  const Design design =
      store({{"lock.creates", "1 kops/s"}, {"lock.service", "1 us"}, {"client.stream", "1 GB/s"}});
  const double commit = 1e-3 + 3 * 10e-6;
  CHECK(seconds_to_write(design, 100.0, 5_MB) == Approx(0.1 + 0.005 + commit).epsilon(1e-3));
  CHECK(seconds_to_write(design, 100.0, 100_MB) == Approx(0.001 + 1.25 + commit).epsilon(1e-3));
}

TEST_CASE("san: controllers may have a rate for reads and writes together") {
  // 32 GB at 4 GB/s, one way after the other; ports carry 8 GB/s each way
  const Design both = store({{"array.rate", "4 GB/s"}});
  CHECK(serve(both, {.bytes = 8_GB}, {.bytes = 1_MiB}, 4.0).read.in(unit::s) ==
        Approx(8.0).epsilon(1e-3));
  CHECK(seconds_to_write(both) == Approx(8.0).epsilon(0.01));
  const auto moved = [](const char* rate) {
    Design design = store({{"array.rate", rate}});
    design.jobs.clear();
    set(design.run, models::Role::run, "duration", "60 s");
    for (const char* way : {"randread", "randwrite"})
      design.tenants.push_back(component(models::Role::tenant, "fio", way,
                                         {{"on", "scratch"},
                                          {"hosts", "gpu"},
                                          {"rw", way},
                                          {"bs", "1 MiB"},
                                          {"numjobs", "16"},
                                          {"direct", "true"}}));
    const RunResult result = run(design);
    return metric(result, "tenant.randread.read") + metric(result, "tenant.randwrite.write");
  };
  CHECK(moved("4 GB/s") == Approx(4e9).epsilon(0.03));
  CHECK(moved("100 GB/s") == Approx(16e9).epsilon(0.03));
}

TEST_CASE("san: an array serves so many requests a second") {
  // Requests of 512 KiB at 2 kops/s are 1.05 GB/s
  CHECK(serve(store({{"array.ops", "2 kops/s"}}), {.bytes = 8_GB}, {.bytes = 1_MiB})
            .read.in(unit::s) == Approx((8_GB / (1_MiB / 1_ms)).in(unit::s)).epsilon(1e-3));
}

TEST_CASE("san: a request costs its process CPU time in addition to the copy") {
  // 512 KiB: 50 us of CPU, then 2.5 GB/s
  const Design design = store({{"client.cpu_per_op", "50 us"}, {"client.stream", "2.5 GB/s"}});
  const Seconds each = 50_us + 512_KiB / 2.5_GBps;
  CHECK(serve(design, {.bytes = 1_GiB, .round_trips = 0}, {.bytes = 1_MiB}).read.in(unit::ms) ==
        Approx((2048.0 * each).in(unit::ms)).epsilon(1e-6));
}

TEST_CASE("san: an open takes its turns at the lock server, none with a volume of one's own") {
  // 20 kops/s x 0.5 ms = 10 threads of 0.5 ms: two round trips and two turns
  CHECK(serve(store(), {.bytes = 1_MiB}, {.bytes = 1_MiB}).open.in(unit::us) ==
        Approx(2 * 510.0).epsilon(1e-6));
  CHECK(serve(store({{"client.open_requests", "0"}}), {.bytes = 1_MiB}, {.bytes = 1_MiB})
            .open.in(unit::us) == Approx(0.0).margin(1e-9));
}

TEST_CASE("san: so many opens a second, whatever requests one takes") {
  // 2,000 files at 20 kops/s
  for (const char* requests : {"1", "2", "4"})
    CHECK(serve(store({{"client.open_requests", requests}}), {.bytes = 1_kB}, {.bytes = 1_MiB},
                2000.0)
              .open.in(unit::ms) == Approx(100.0).epsilon(0.02));
}

TEST_CASE("san: a host has the rate of its paths") {
  // 8 GB by 4 processes on 4 hosts, one path of 1 GB/s each
  const Design design = store({{"client.path", "1 GB/s"}, {"client.paths", "1"}});
  CHECK(serve(design, {.bytes = 8_GB}, {.bytes = 1_MiB}, 4.0).read.in(unit::s) ==
        Approx(8.0).epsilon(1e-3));
}

}  // namespace san_test
