#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace nfs_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// One controller that answers in exactly 250 us (4 threads at 16 kops/s), 10 us away; connections
// and copies do not limit unless a test says so.
Design filer(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"head.count", "1"},
                                                          {"head.read", "5 GB/s"},
                                                          {"head.write", "2 GB/s"},
                                                          {"head.ops", "16 kops/s"},
                                                          {"head.creates", "4 kops/s"},
                                                          {"client.connection", "10 GB/s"},
                                                          {"client.stream", "10 GB/s"},
                                                          {"client.nconnect", "16"},
                                                          {"directory.creates", "1 Mops/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("nfs", all);
}

}  // namespace

TEST_CASE("nfs: an open takes one request after the other") {
  // LOOKUP, ACCESS, GETATTR: 3 x (10 us + 250 us)
  const Timed t = serve(filer(), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::us) == Approx(3 * 260.0).epsilon(1e-9));
}

TEST_CASE("nfs: a file within the read-ahead window costs one turn in addition to its bytes") {
  // 260 us + 100 kB at the controller's 5 GB/s (20 us)
  const Timed t = serve(filer(), {.bytes = 100_kB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::us) == Approx(260.0 + 20.0).epsilon(1e-6));
}

TEST_CASE("nfs: parts of a file cost one turn together, however many they are") {
  // 1 GB within the window: 260 us and 200 ms at 5 GB/s, in one or in ten thousand parts
  const Design design = filer({{"client.read_ahead", "1 GB"}});
  for (const double parts : {1.0, 10.0, 10000.0}) {
    const Timed t = serve(design, {.bytes = 1_GB / parts, .files = 1.0 / parts}, {.bytes = 1_MiB});
    CHECK(t.read.in(unit::us)*parts == Approx(260.0 + 200e3).epsilon(1e-6));
  }
  // They are requests at the controllers all the same: 8000 readers ask for half a file each.
  CHECK(serve(design, {.bytes = 1_B, .files = 0.5}, {.bytes = 1_MiB}, 8000.0).read.in(unit::s) ==
        Approx(0.5 * 4000 / 16e3).epsilon(0.01));
}

TEST_CASE("nfs: a buffered stream moves one read-ahead window a turn") {
  // 8 windows of 128 KiB: 8 turns of 260 us and 1 MiB at the connection's 10 GB/s (104.9 us)
  const Timed small = serve(filer({{"head.read", "100 GB/s"}}), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(small.read.in(unit::us) == Approx(8 * 260.0 + 104.8576).epsilon(1e-6));
  // a window of 1 MiB needs one turn
  const Timed tuned = serve(filer({{"head.read", "100 GB/s"}, {"client.read_ahead", "1 MiB"}}),
                            {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(tuned.read.in(unit::us) == Approx(260.0 + 104.8576).epsilon(1e-6));
}

TEST_CASE("nfs: connections limit a host whatever its network carries") {
  // 8 processes of one host would read 5 GB/s; one connection carries 1 GB/s: 8 x 1 GB in 8 s
  const auto all = [](const char* connections) {
    Design design = filer({{"client.connection", "1 GB/s"},
                           {"client.nconnect", connections},
                           {"client.read_ahead", "1 GiB"}});
    set(design.hosts[0], models::Role::host, "count", "1");
    return serve(design, {.bytes = 1_GB, .direct = true}, {.bytes = 1_MiB}, 8.0).read;
  };
  CHECK(all("1").in(unit::s) == Approx(8.0).epsilon(1e-3));
  CHECK(all("4").in(unit::s) == Approx(2.0).epsilon(1e-3));
  CHECK(all("16").in(unit::s) == Approx(8.0 / 5.0).epsilon(1e-3));
}

TEST_CASE("nfs: a direct call goes over no more connections than it is requests") {
  // 260 us, then 1 MiB at 1 GB/s of one connection; 4 MiB are four requests over as many
  const auto one = [](const char* connections, Bytes bytes) {
    const Design design =
        filer({{"client.connection", "1 GB/s"}, {"client.nconnect", connections}});
    return serve(design, {.bytes = bytes, .direct = true}, {.bytes = 1_MiB}).read.in(unit::us);
  };
  for (const char* connections : {"1", "4", "16"})
    CHECK(one(connections, 1_MiB) == Approx(260.0 + 1048.576).epsilon(1e-6));
  CHECK(one("16", 4_MiB) == Approx(260.0 + 1048.576).epsilon(1e-6));
  CHECK(one("2", 4_MiB) == Approx(260.0 + 2 * 1048.576).epsilon(1e-6));
}

TEST_CASE("nfs: shelves behind the controllers only matter below their ceiling") {
  // 8 GB at 5 GB/s with two or twenty shelves of 4 GB/s, at 4 GB/s with one
  const auto time = [](const char* shelves) {
    return serve(filer({{"shelf.count", shelves}, {"shelf.read", "4 GB/s"}}),
                 {.bytes = 8_GB, .direct = true}, {.bytes = 1_MiB})
        .read.in(unit::s);
  };
  CHECK(time("1") == Approx(2.0).epsilon(1e-3));
  CHECK(time("2") == Approx(1.6).epsilon(1e-3));
  CHECK(time("20") == Approx(1.6).epsilon(1e-3));
}

TEST_CASE("nfs: a create is committed, and its controllers create one after the other") {
  // 16 files of one byte each: opens 2 requests; creates at 4 kops/s (4 threads of 1 ms), in 4
  // rounds; then 1 ms commit and two round trips
  const Timed t = serve(filer(), {.bytes = 1_MiB}, {.bytes = 1_B, .writers = 16}, 16.0);
  const double lookup = 4 * 2 * 250.0 + 2 * 10.0, create = 4 * 1000.0 + 10.0;
  CHECK(t.write.in(unit::us) == Approx(lookup + create + 1000.0 + 20.0).epsilon(1e-2));
}

TEST_CASE("nfs: how fast controllers open does not say how long creates take") {
  // LOOKUP and ACCESS of 260 us, a create of 1 / creates (one thread) or `service`; then COMMIT
  const auto time = [](const char* ops, const char* creates, double writers) {
    const Design design = filer({{"head.ops", ops}, {"head.creates", creates}});
    return serve(design, {.bytes = 1_MiB}, {.bytes = 1_B, .writers = writers}, writers)
        .write.in(unit::us);
  };
  const auto all = [](double create) { return 2 * 260.0 + create + 10.0 + 1000.0 + 20.0; };
  for (const char* ops : {"16 kops/s", "64 kops/s", "640 kops/s"}) {
    INFO(ops);
    CHECK(time(ops, "1 kops/s", 1.0) == Approx(all(1000.0)).epsilon(1e-3));
    CHECK(time(ops, "8 kops/s", 1.0) == Approx(all(250.0)).epsilon(1e-3));
  }
  // A busy one: 800 requests, then 400 creates at 1 kops/s, however many threads open.
  CHECK(time("16 kops/s", "1 kops/s", 400.0) == Approx(50e3 + 400e3).epsilon(0.01));
  CHECK(time("640 kops/s", "1 kops/s", 400.0) == Approx(1.25e3 + 400e3).epsilon(0.01));
}

TEST_CASE("nfs: files of one directory are created in turn, whatever the controllers create") {
  // 1000 files at 0.9 kops/s
  const Design design = filer({{"directory.creates", "0.9 kops/s"},
                               {"head.ops", "1 Mops/s"},
                               {"head.creates", "1 Mops/s"}});
  const Timed t = serve(design, {.bytes = 1_MiB}, {.bytes = 1_B, .writers = 1000}, 1000.0);
  CHECK(t.write.in(unit::s) == Approx(1000 / 900.0).epsilon(0.01));
}

}  // namespace nfs_test
