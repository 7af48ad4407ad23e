#include <cmath>

#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "models/loading/cache_plan.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace gpfs_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 4 servers of 10 GB/s, 250 us for a data request and 100 us for one of an open (20 threads each at
// 100 kops/s of two requests), 10 us away; clients do not limit unless a test says so.
Design cluster(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"server.count", "4"},
                                                          {"server.read", "10 GB/s"},
                                                          {"server.write", "10 GB/s"},
                                                          {"client.prefetch", "1000 GB/s"},
                                                          {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("gpfs", all);
}

}  // namespace

TEST_CASE("gpfs: an open takes the token's and the inode's round trip") {
  const Timed t = serve(cluster(), {.bytes = 1_MiB}, {.bytes = 1_MiB});
  CHECK(t.open.in(unit::us) == Approx(2 * (10.0 + 100.0)).epsilon(1e-9));
}

TEST_CASE("gpfs: a file in its inode costs no data request") {
  // above 3.5 KiB: 10 + 250 us more
  const Timed in = serve(cluster(), {.bytes = 3.5_KiB}, {.bytes = 1_MiB});
  const Timed out = serve(cluster(), {.bytes = 3.6_KiB}, {.bytes = 1_MiB});
  CHECK(in.read.in(unit::us) < 1.0);
  CHECK((out.read - in.read).in(unit::us) == Approx(260.0).epsilon(1e-3));
}

TEST_CASE("gpfs: O_DIRECT waits once for each block") {
  // 10 + 250 us for a block of 4 MiB, and its data at 10 GB/s
  const auto takes = [](Bytes file) {
    const double blocks = std::ceil(file / 4_MiB);
    return blocks * 260.0 + (file / 10_GBps).in(unit::us);
  };
  const auto read = [](Bytes file) {
    return serve(cluster(), {.bytes = file, .direct = true}, {.bytes = 1_MiB}).read.in(unit::us);
  };
  for (const Bytes file : {4_KiB, 48_KiB, 4_MiB, 64_MiB}) {
    INFO(file.in(unit::KiB) << " KiB");
    CHECK(read(file) == Approx(takes(file)).epsilon(1e-3));
    const Timed write = serve(cluster({{"commit", "0 s"}}), {.bytes = 1_MiB},
                              {.bytes = file * 3.0, .files = 0.0, .requests = 3.0, .direct = true});
    CHECK(write.write.in(unit::us) == Approx(3.0 * takes(file)).epsilon(1e-3));
  }
  CHECK(read(3_KiB) < 1.0);  // came with its inode, where that is all of the file
  const Timed range = serve(cluster(), {.bytes = 3_KiB, .larger_file = 1_MiB}, {.bytes = 1_MiB});
  CHECK(range.read.in(unit::us) == Approx(takes(3_KiB)).epsilon(1e-3));
}

TEST_CASE("gpfs: one file is as fast as all servers, and few writers are not unlucky") {
  // 40 GB over 4 x 10 GB/s; the four hosts' networks carry more
  const Timed t =
      serve(cluster(), {.bytes = 40_GB, .round_trips = 0}, {.bytes = 4_GB, .writers = 9}, 1.0);
  CHECK(t.read.in(unit::s) == Approx(1.0).epsilon(1e-3));
  const Timed nine = serve(cluster(), {.bytes = 1_MiB}, {.bytes = 4_GB, .writers = 9}, 9.0);
  CHECK(nine.write.in(unit::s) == Approx(36.0 / 40.0).epsilon(0.01));
}

TEST_CASE("gpfs: a small file is as fast as the servers that have its blocks") {
  // 64 servers of 0.1 GB/s. A file of one block: 80 ms, whoever else reads; of two, from both.
  const auto on = [](const char* block) {
    return cluster({{"server.count", "64"},
                    {"server.read", "0.1 GB/s"},
                    {"server.write", "0.1 GB/s"},
                    {"server.service", "0 s"},
                    {"directory.creates", "1 Gops/s"},
                    {"block", block},
                    {"commit", "0 s"}});
  };
  const models::WriteRequest alone{.bytes = 800_MB, .files = 100};
  const Timed one = serve(on("8 MB"), {.bytes = 8_MB}, alone);
  CHECK(one.read.in(unit::ms) == Approx(80.0).epsilon(1e-3));
  CHECK(one.write.in(unit::s) == Approx(8.0).epsilon(2e-3));
  CHECK(serve(on("4 MB"), {.bytes = 8_MB}, alone).read.in(unit::ms) == Approx(40.0).epsilon(1e-3));
  // Of eight that write, each other one is at its server 1 / 64 of the time.
  const auto eight = [&](const char* block) {
    return serve(on(block), {.bytes = 8_MB}, {.bytes = 800_MB, .files = 100, .writers = 8}, 8.0);
  };
  CHECK(eight("8 MB").read.in(unit::ms) == Approx(80.0).epsilon(1e-3));
  CHECK(eight("8 MB").write.in(unit::s) == Approx(8.0 * (1.0 + 7.0 / 64)).epsilon(5e-3));
  CHECK(eight("4 MB").write.in(unit::s) == Approx(4.0 * (1.0 + 7.0 * 2 / 64)).epsilon(1e-2));
  // A save of such files is read again so.
  const Timed saved =
      serve(on("8 MB"), {.bytes = 800_MB, .files = 100, .readers = 8, .saved = 8}, alone, 8.0);
  CHECK(saved.read.in(unit::s) == Approx(8.0 * (1.0 + 7.0 / 64)).epsilon(5e-3));
}

TEST_CASE("gpfs: prefetch limits each host, not each process") {
  // 8 processes on 4 hosts of 2 GB/s each: 8 x 2 GB in 2 s
  const Timed t =
      serve(cluster({{"client.prefetch", "2 GB/s"}}), {.bytes = 2_GB}, {.bytes = 1_MiB}, 8.0);
  CHECK(t.read.in(unit::s) == Approx(2.0).epsilon(1e-3));
}

TEST_CASE("gpfs: a host keeps blocks in its page pool, not in what memory has left") {
  Design design = cluster({{"client.pagepool", "16 GiB"}});
  const std::string store = design.storage[0].id;
  JobDesign& job = design.jobs[0];
  job.dataset = component(models::Role::dataset, "raw", "dataset",
                          {{"on", store.c_str()},
                           {"sample", "1 MB"},
                           {"samples", "64000"},
                           {"cache.policy", "random"}});
  job.loader = component(models::Role::loader, "pytorch", "loader", {{"batch", "1"}});
  const auto plan = [&] { return models::cache::cache_plan(design, job, models::Plant(design)); };
  CHECK(plan().size.in(unit::GiB) == Approx(16.0));
  CHECK(plan().cached.in(unit::ratio) == Approx(16.0 * 1.073741824 / 64.0));
  set(*job.dataset, models::Role::dataset, "cache.size", "32 GB");
  CHECK(plan().size.in(unit::GB) == Approx(32.0));
}

TEST_CASE("gpfs: what a save leaves to be written lies in the page pool") {
  // 4 hosts save 80 GB each to 40 GB/s, 8 s: 32 GB of it wait, 4.8 s do not; copies of 4 s
  Design design = cluster({{"client.pagepool", "32 GB"}});
  const std::string store = design.storage[0].id;
  design.jobs[0].checkpoint = component(models::Role::checkpoint, "sync", "checkpoint",
                                        {{"to", store.c_str()},
                                         {"every_steps", "300"},
                                         {"size", "320 GB"},
                                         {"snapshot", "none"},
                                         {"serializer", "none"},
                                         {"commit", "cache"}});
  CHECK(metric(run(design), "job.train.checkpoint.stall") == Approx(4.8).epsilon(0.01));
}

TEST_CASE("gpfs: the creates of one save pass one directory") {
  // 1000 files at 10 kops/s: 100 ms, however many servers there are
  const auto time = [](const char* servers) {
    return serve(cluster({{"server.count", servers}}), {.bytes = 1_MiB},
                 {.bytes = 1_B, .writers = 1000}, 1000.0)
        .write.in(unit::ms);
  };
  CHECK(time("40") == Approx(100.0).epsilon(0.05));
  CHECK(time("80") == Approx(100.0).epsilon(0.05));
}

}  // namespace gpfs_test
