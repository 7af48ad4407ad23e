#include <catch2/catch.hpp>

#include "models/contract/storage.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace hdfs_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;

namespace {

// 4 DataNodes of 10 disks, 1 GB/s, 10 ms for a request, 10 us away; the client does not limit.
Design store(std::vector<std::pair<const char*, const char*>> settings = {}) {
  std::vector<std::pair<const char*, const char*>> all = {{"datanode.count", "4"},
                                                          {"datanode.disks", "10"},
                                                          {"datanode.read", "1 GB/s"},
                                                          {"datanode.write", "1 GB/s"},
                                                          {"client.stream", "1000 GB/s"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return design_with_storage("hdfs", all);
}

}  // namespace

TEST_CASE("hdfs: a reader sees one disk at a time and a new request for each block") {
  // 2 blocks of 128 MiB from a disk of 100 MB/s, 10.01 ms before each
  const Timed t = serve(store(), {.bytes = 256_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::s) ==
        Approx((2 * 10.01_ms + 256_MiB / 0.1_GBps).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("hdfs: blocks read at one time add up") {
  const Timed t = serve(store({{"client.parallel", "4"}}), {.bytes = 512_MiB}, {.bytes = 1_MiB});
  CHECK(t.read.in(unit::s) == Approx((10.01_ms + 128_MiB / 0.1_GBps).in(unit::s)).epsilon(1e-6));
}

TEST_CASE("hdfs: readers of small files find disks unevenly busy, however many they are") {
  // 40 disks, 10 ms + 1 ms for 100 kB: Q readers get 40 Q / (Q + 39) disks.
  const auto rate = [](const char* workers, const char* parallel) {
    Design design = store({{"client.parallel", parallel}, {"namenode.opens", "1 Gops/s"}});
    JobDesign& job = design.jobs[0];
    set(design.hosts[0], models::Role::host, "count", "1");
    set(design.hosts[0], models::Role::host, "cpu.cores", "1000");
    job.dataset = component(models::Role::dataset, "raw", "dataset",
                            {{"on", "scratch"}, {"sample", "100 kB"}, {"samples", "1000000"}});
    job.loader = component(models::Role::loader, "pytorch", "loader",
                           {{"workers", workers}, {"batch", "8"}});
    set(job.step, models::Role::step, "compute", "0.1 ms");
    set(design.run, models::Role::run, "duration", "3 s");
    const RunResult result = run(design);
    for (const ResourceUse& use : result.resources)
      if (use.name == "storage.scratch.disk.busy") return use.throughput;
    return 0.0;
  };
  double before = 0.0;
  for (const auto& [workers, readers] :
       {std::pair{"2", 16.0}, {"4", 32.0}, {"5", 40.0}, {"6", 48.0}, {"8", 64.0}}) {
    INFO(readers);
    const double busy = rate(workers, "1");
    CHECK(busy == Approx(40.0 * readers / (readers + 39.0)).epsilon(0.06));
    CHECK(busy > before);
    CHECK(rate(workers, "4") == Approx(busy).epsilon(1e-9));  // a file is one block
    before = busy;
  }
}

TEST_CASE("hdfs: a pipeline writes every copy on unevenly loaded disks") {
  // 40 writers of 1 GB: 120 streams on 40 disks keep 120 / 159 of them busy; 40 GB x 3 over 4 GB/s.
  const double busy = 120.0 / 159;
  CHECK(seconds_to_write(store(), 40.0, 1_GB) == Approx(30.0 / busy).epsilon(0.01));
}

TEST_CASE("hdfs: copies cross the network of as many DataNodes") {
  // 120 GB over 4 x 0.5 GB/s
  CHECK(seconds_to_write(store({{"datanode.nic", "0.5 GB/s"}}), 40.0, 1_GB) ==
        Approx(60.0).epsilon(0.01));
}

TEST_CASE("hdfs: the NameNode journals every block of a save") {
  // 1000 writers x 8 blocks at 100 a second; the first block of each comes before its data, which
  // are small
  const Design design =
      store({{"block", "1 MiB"}, {"namenode.creates", "100 ops/s"}, {"datanode.count", "1000"}});
  CHECK(seconds_to_write(design, 1000.0, 8_MiB) == Approx(80.0).epsilon(0.01));
}

}  // namespace hdfs_test
