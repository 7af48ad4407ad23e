#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// Tenants that ask for more than a storage system has, and requests that it takes one by one.
namespace overload_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Role;

namespace {

// A tenant on two hosts of its own, alone on the storage system.
RunResult alone(Component storage, const char* kind, Settings settings,
                const char* duration = "60 s") {
  Design design = small_design();
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
  design.storage[0] = std::move(storage);
  set(design.run, Role::run, "duration", duration);
  Component tenant = component(Role::tenant, kind, "x", settings);
  set(tenant, Role::tenant, "on", "scratch");
  set(tenant, Role::tenant, "hosts", "other");
  design.tenants.push_back(std::move(tenant));
  return run(design);
}

Component flash() {
  return component(Role::storage, "lustre", "scratch",
                   {{"ost.count", "2"}, {"ost.read", "4 GB/s"}, {"mdt.count", "1"}});
}

bool warned(const RunResult& result, const char* text) {
  for (const std::string& warning : result.warnings)
    if (warning.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("who asks for more than there is, is told so, and waits longer the more it asks for") {
  const auto asked = [](const char* rate) {
    return alone(flash(), "inference", {{"rate", rate}, {"request", "1 MiB"}, {"burst", "1"}});
  };
  const RunResult half = asked("4 kops/s"), twice = asked("16 kops/s"), four = asked("32 kops/s");
  CHECK_FALSE(warned(half, "had no answer"));
  CHECK(metric(half, "tenant.x.operations") == Approx(4000.0).epsilon(0.03));
  CHECK(warned(twice, "of its requests had no answer when the run ended"));
  CHECK(metric(twice, "tenant.x.latency") > 4.0 * metric(half, "tenant.x.latency"));
  CHECK(metric(four, "tenant.x.latency") > metric(twice, "tenant.x.latency"));
}

TEST_CASE("small reads of a tenant from disks behind OSTs are as many as disks seek") {
  const auto operations = [](const char* pattern) {
    Component disks = flash();
    set(disks, Role::storage, "ost.seek", "8 ms");
    set(disks, Role::storage, "ost.spindles", "10");
    return metric(alone(std::move(disks), "fio",
                        {{"rw", pattern}, {"bs", "4 KiB"}, {"numjobs", "16"}, {"iodepth", "32"}}),
                  "tenant.x.operations");
  };
  // 2 OSTs of 10 disks, 8 ms each.
  CHECK(operations("randread") == Approx(20.0 / 8e-3).epsilon(0.04));
  CHECK(operations("randwrite") == Approx(20.0 / 8e-3).epsilon(0.04));
}

TEST_CASE("small requests of a Lustre client are as many as its RPCs in flight have answers") {
  for (const char* pattern : {"randread", "randwrite"}) {
    INFO(pattern);
    const auto operations = [&](const char* depth) {
      return metric(
          alone(flash(), "fio",
                {{"rw", pattern}, {"bs", "4 KiB"}, {"iodepth", depth}, {"direct", "true"}}),
          "tenant.x.operations");
    };
    const double most = operations("16");  // two OSTs, 8 RPCs for each
    CHECK(operations("4") == Approx(most / 4.0).epsilon(0.1));
    CHECK(operations("64") == Approx(most).epsilon(0.1));
    CHECK(operations("1024") == Approx(operations("64")).epsilon(0.02));
  }
}

TEST_CASE("small requests are as many as arrays and OSDs have operations") {
  const auto operations = [](const char* kind, Settings store, const char* pattern) {
    return metric(alone(component(Role::storage, kind, "scratch", store), "fio",
                        {{"rw", pattern}, {"bs", "4 KiB"}, {"numjobs", "16"}, {"iodepth", "32"}}),
                  "tenant.x.operations");
  };
  const Settings array = {{"port.count", "8"}, {"array.ops", "16 kops/s"}};
  const Settings osds = {{"osd.count", "8"}, {"osd.ops", "1 kops/s"}, {"replicas", "2"}};
  CHECK(operations("san", array, "randread") == Approx(16e3).epsilon(0.1));
  CHECK(operations("san", array, "randwrite") == Approx(16e3).epsilon(0.1));
  CHECK(operations("cephfs", osds, "randread") == Approx(8e3).epsilon(0.1));
  CHECK(operations("cephfs", osds, "randwrite") == Approx(4e3).epsilon(0.1));
}

TEST_CASE("PUTs in flight do not wait for the slowest of all, but in a save they do") {
  const auto operations = [](const char* depth) {
    return metric(alone(component(Role::storage, "s3", "scratch", {}), "fio",
                        {{"rw", "randwrite"}, {"bs", "4 KiB"}, {"iodepth", depth}}),
                  "tenant.x.operations");
  };
  CHECK(operations("16") == Approx(16.0 * operations("1")).epsilon(0.25));
}

TEST_CASE("a store to a pool of CXL memory takes as long as a load at least") {
  const RunResult result = alone(
      component(Role::storage, "cxl", "scratch", {{"device.count", "2"}, {"latency", "300 ns"}}),
      "fio", {{"rw", "randwrite"}, {"bs", "64 B"}});
  CHECK(metric(result, "tenant.x.latency") >= 300e-9);
}

TEST_CASE("writers that flush in turn hardly wait for each other") {
  const auto latency = [](const char* writers) {
    return metric(alone(flash(), "tracking", {{"writers", writers}}), "tenant.x.latency");
  };
  CHECK(latency("10000") < 1.5 * latency("100"));
}

TEST_CASE("small reads of HDFS are as many as its disks have time for") {
  const auto operations = [](const char* depth) {
    return metric(alone(component(Role::storage, "hdfs", "scratch",
                                  {{"datanode.count", "2"}, {"datanode.disks", "10"}}),
                        "fio", {{"rw", "randread"}, {"bs", "4 KiB"}, {"iodepth", depth}}),
                  "tenant.x.operations");
  };
  // Two hosts; a disk takes 10 ms for a request.
  CHECK(operations("4") == Approx(8.0 / 10e-3).epsilon(0.06));
  CHECK(operations("64") == Approx(20.0 / 10e-3).epsilon(0.04));
}

TEST_CASE("more data than a store takes keeps it busy, and waits") {
  const auto result = [](const char* rate) {
    return alone(flash(), "ingest", {{"rate", rate}, {"file", "1 GiB"}, {"streams", "8"}});
  };
  const RunResult most = result("80 GB/s");
  const double taken = metric(most, "resource.storage.scratch.ost.throughput");
  CHECK(metric(most, "resource.storage.scratch.ost.utilization") > 0.99);
  // All but what is under way, 8 files of each host.
  CHECK(metric(most, "tenant.x.write") == Approx(taken).margin(16.0 * 1.1e9 / 60.0));
  CHECK(metric(most, "tenant.x.behind") ==
        Approx((80e9 - metric(most, "tenant.x.write")) * 60.0).epsilon(0.01));
  CHECK(warned(most, "of its requests had no answer"));
  CHECK_FALSE(warned(result("1 GB/s"), "had no answer"));
}

TEST_CASE("a file that arrives is written when all of it is there") {
  const auto result = [](const char* rate, const char* file, const char* stop) {
    return alone(flash(), "ingest", {{"rate", rate}, {"file", file}, {"stop", stop}});
  };
  // Nothing of the first file is written while it comes, and what has not come is not behind.
  for (const auto& [rate, file] : {std::pair{"1 B/s", "1 GiB"}, std::pair{"1 GB/s", "10 TB"}}) {
    INFO(rate);
    const RunResult early = result(rate, file, "60 s");
    CHECK(metric(early, "resource.storage.scratch.ost.throughput") == 0.0);
    CHECK(metric(early, "tenant.x.write") == 0.0);
    CHECK(metric(early, "tenant.x.behind") == Approx(rate == std::string("1 B/s") ? 60.0 : 60e9));
    CHECK(warned(early, "the run ended before a request of it did"));
  }
  // Files of 1 s each: 40 are there at 40 s. Of 0.3 s: 133, and a third of the next.
  CHECK(metric(result("1 GB/s", "1 GB", "40 s"), "tenant.x.write") == Approx(1e9));
  CHECK(metric(result("1 GB/s", "1 GB", "40 s"), "tenant.x.behind") == Approx(0.0).margin(1.0));
  const RunResult part = result("1 GB/s", "300 MB", "40 s");
  CHECK(metric(part, "tenant.x.write") == Approx(133 * 300e6 / 40.0));
  CHECK(metric(part, "tenant.x.behind") == Approx(100e6));
  // Small ones come together: 10,000 of 4 ms.
  CHECK(metric(result("1 GB/s", "4 MB", "40 s"), "tenant.x.write") == Approx(1e9));
}

TEST_CASE("who serves more of too many requests does not look slower for it") {
  const auto latency = [](const char* rate) {
    Component store = flash();
    set(store, Role::storage, "ost.read", rate);
    return metric(
        alone(std::move(store), "inference", {{"rate", "32 kops/s"}, {"request", "1 MiB"}}),
        "tenant.x.latency");
  };
  CHECK(latency("2 GB/s") < latency("1 GB/s"));
  CHECK(latency("4 GB/s") < latency("2 GB/s"));
}

TEST_CASE("how many requests are simulated one by one decides nothing") {
  struct Case {
    const char *rate, *size;
    double margin;
  };
  // 2 OSTs of 4 GB/s: 7,630 requests of 1 MiB a second; two hosts of 16 RPCs in flight each
  for (const Case& c : {Case{"2 kops/s", "1 MiB", 0.05}, Case{"6 kops/s", "1 MiB", 0.2},
                        Case{"20 kops/s", "4 KiB", 0.05}}) {
    INFO(c.rate << " of " << c.size);
    const auto result = [&](const char* sampled, const char* duration) {
      return alone(flash(), "inference",
                   {{"rate", c.rate}, {"request", c.size}, {"burst", "1"}, {"sampled", sampled}},
                   duration);
    };
    // Of 1,200 requests the mean is as exact as of many; of all, a sixth of the time has more.
    const RunResult few = result("20 ops/s", "60 s"), all = result(c.rate, "10 s");
    for (const char* figure : {"tenant.x.latency", "tenant.x.latency.p50"})
      CHECK(metric(few, figure) == Approx(metric(all, figure)).epsilon(c.margin));
    CHECK(metric(few, "tenant.x.operations") ==
          Approx(metric(all, "tenant.x.operations")).epsilon(0.05));
  }
}

TEST_CASE("who asks for half as much again gets what there is, after what came before") {
  const RunResult result =
      alone(flash(), "inference", {{"rate", "12 kops/s"}, {"request", "1 MiB"}, {"burst", "1"}});
  const double most = 8e9 / 1048576.0;  // 2 OSTs of 4 GB/s
  CHECK(metric(result, "tenant.x.operations") == Approx(most).epsilon(0.05));
  // The backlog grows by 12,000 - 7,630 a second: after 60 s the last wait 34 s.
  const double last = 60.0 * (12e3 - most) / most;
  CHECK(metric(result, "tenant.x.latency") == Approx(last / 2.0).epsilon(0.4));
}

TEST_CASE("queries of many hops wait in a backlog as they do one by one") {
  // 20 hops of 3.2 reads of 2,000 a second: 31 queries a second.
  const auto queries = [](const char* rate, const char* sampled) {
    return alone(
        component(Role::storage, "local", "scratch",
                  {{"drive.count", "1"}, {"drive.read_iops", "1 kops/s"}}),
        "vector_database",
        {{"rate", rate}, {"hops", "20"}, {"beam", "4"}, {"cached", "20 %"}, {"sampled", sampled}});
  };
  for (const char* rate : {"42 /s", "60 /s"}) {
    INFO(rate);
    const RunResult few = queries(rate, "5 /s"), all = queries(rate, rate);
    CHECK(metric(few, "tenant.x.query") == Approx(metric(all, "tenant.x.query")).epsilon(0.2));
    CHECK(metric(few, "tenant.x.query.p99") ==
          Approx(metric(all, "tenant.x.query.p99")).epsilon(0.2));
    CHECK(metric(few, "tenant.x.query.max") < 60.0);  // the run ends then
  }
  // Also where a flow begins behind many: no part of it is less than a request.
  for (const char* rate : {"36 /s", "37 /s", "45 /s", "300 /s"}) {
    INFO(rate);
    const RunResult few = queries(rate, "1 /s");
    CHECK(metric(few, "tenant.x.queries") == Approx(31.25).epsilon(0.05));
    CHECK(metric(few, "tenant.x.query.max") < 60.0);
  }
}

TEST_CASE("what serves is busy however much too much is asked for") {
  for (const char* rate : {"12 kops/s", "80 kops/s", "400 kops/s"}) {
    INFO(rate);
    const RunResult result =
        alone(flash(), "inference", {{"rate", rate}, {"request", "1 MiB"}, {"burst", "1"}});
    CHECK(metric(result, "tenant.x.read") == Approx(8e9).epsilon(0.05));
    CHECK(metric(result, "tenant.x.latency.max") < 60.0);
  }
}

TEST_CASE("requests that are not simulated one by one are operations, too") {
  const auto served = [](Component store) {
    return metric(alone(std::move(store), "inference",
                        {{"rate", "100 kops/s"}, {"request", "4 KiB"}, {"burst", "1"}}),
                  "tenant.x.operations");
  };
  CHECK(served(component(Role::storage, "nfs", "scratch",
                         {{"head.count", "1"}, {"head.ops", "20 kops/s"}})) ==
        Approx(20e3).epsilon(0.05));
  CHECK(served(component(Role::storage, "hdfs", "scratch", {{"datanode.count", "4"}})) ==
        Approx(48.0 / 10e-3).epsilon(0.1));
  CHECK(served(component(Role::storage, "s3", "scratch",
                         {{"prefixes", "1"}, {"get.rate", "5 kops/s"}})) ==
        Approx(5e3).epsilon(0.2));
}

TEST_CASE("storage known by measurements serves no more than it can, whatever is asked for") {
  for (const char* law : {"line", "throttle", "roofline", "mva", "fifo"})
    for (const char* limit : {"100 GB/s", "1 GB/s"}) {
      INFO(law << ", limit " << limit);
      const auto measured = [&] {
        return component(Role::storage, "measured", "scratch",
                         {{"scope", "shared"},
                          {"read.law", law},
                          {"read.latency", "100 us"},
                          {"read.per_op", "0 s"},
                          {"read.rate", "5 GB/s"},
                          {"write.law", law},
                          {"write.latency", "100 us"},
                          {"write.per_op", "0 s"},
                          {"write.rate", "3 GB/s"},
                          {"limit.read", limit},
                          {"limit.write", limit}});
      };
      const RunResult reads = alone(measured(), "inference",
                                    {{"rate", "20 kops/s"}, {"request", "1 MiB"}, {"burst", "1"}});
      CHECK(metric(reads, "resource.storage.scratch.read.utilization") ==
            Approx(1.0).epsilon(0.03));  // law line loses a little by its latency
      CHECK(metric(reads, "resource.storage.scratch.read.utilization") <= 1.0 + 1e-9);
      const RunResult writes = alone(measured(), "ingest", {{"rate", "1 TB/s"}, {"file", "1 GiB"}});
      CHECK(metric(writes, "resource.storage.scratch.write.utilization") ==
            Approx(1.0).epsilon(0.02));
      CHECK(metric(writes, "resource.storage.scratch.write.utilization") <= 1.0 + 1e-9);
    }
}

}  // namespace overload_test
