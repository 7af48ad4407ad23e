#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"

/// Requests that are timed among those that flow: docs/models/tenants.md, eq. 3.
namespace sampled_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Requests of `bytes` at `rate`, of which `sampled` are simulated one by one.
RunResult reads(const Component& storage, const std::string& rate, const std::string& sampled,
                const char* bytes, const char* files = "0") {
  Design design = small_design();
  design.jobs.clear();
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}}));
  design.storage[0] = storage;
  set(design.run, Role::run, "duration", "40 s");
  design.tenants.push_back(component(Role::tenant, "inference", "t",
                                     {{"on", "scratch"},
                                      {"hosts", "other"},
                                      {"rate", rate.c_str()},
                                      {"request", bytes},
                                      {"burst", "1"},
                                      {"direct", "true"},
                                      {"files", files},
                                      {"sampled", sampled.c_str()}}));
  return run(design);
}

}  // namespace

TEST_CASE("what is timed waits for what flows as it would for requests one by one") {
  // A line of 4 threads of 2 ms, a drive of 2,000 requests a second, a filer of 5 GB/s: 8 MB at
  // 625/s.
  Component drive = component(Role::storage, "local", "scratch",
                              {{"drive.count", "1"},
                               {"drive.read", "20 GB/s"},
                               {"drive.write", "1 GB/s"},
                               {"drive.latency", "100 us"},
                               {"drive.read_iops", "2 kops/s"}});
  const Settings wide{
      {"client.connection", "10 GB/s"}, {"client.stream", "10 GB/s"}, {"client.nconnect", "16"}};
  Component line = filer_of_one_head(wide);
  set(line, Role::storage, "head.ops", "2 kops/s");
  set(line, Role::storage, "head.service", "2 ms");
  struct Case {
    const char* name;
    Component storage;
    const char* bytes;
    double capacity;
  };
  for (const Case& one :
       {Case{"line", line, "4 KiB", 2000.0}, Case{"drive", drive, "4 KiB", 2000.0},
        Case{"bandwidth", filer_of_one_head(wide), "8 MB", 625.0}})
    for (const double busy : {0.5, 0.8}) {
      const std::string rate = std::to_string(busy * one.capacity) + " ops/s";
      const RunResult all = reads(one.storage, rate, rate, one.bytes);
      const RunResult some = reads(one.storage, rate, "40 ops/s", one.bytes);
      INFO(one.name << " " << busy);
      CHECK(metric(some, "tenant.t.latency") ==
            Approx(metric(all, "tenant.t.latency")).epsilon(0.2));
      CHECK(metric(some, "tenant.t.latency.p99") ==
            Approx(metric(all, "tenant.t.latency.p99")).epsilon(0.3));
    }
}

TEST_CASE("first bytes of what flows keep no bytes from moving") {
  // One server of 0.15 GB/s: 2,289 requests of 64 KiB a second, each after 30 ms, or 150 ms.
  for (const char* first_byte : {"30 ms", "150 ms"})
    for (const double busy : {0.5, 0.9}) {
      const Component store = component(Role::storage, "s3", "scratch",
                                        {{"prefixes", "1000"},
                                         {"first_byte", first_byte},
                                         {"first_byte_spread", "1"},
                                         {"server.count", "1"},
                                         {"server.read", "10 GB/s"},
                                         {"server.nic", "1.2 Gb/s"}});
      const std::string rate = std::to_string(busy * 0.15e9 / 65536.0) + " ops/s";
      const RunResult all = reads(store, rate, rate, "64 KiB");
      const RunResult some = reads(store, rate, "40 ops/s", "64 KiB");
      INFO(first_byte << " " << busy);
      CHECK(metric(some, "tenant.t.latency") ==
            Approx(metric(all, "tenant.t.latency")).epsilon(0.03));
      CHECK(metric(some, "tenant.t.latency.p99") ==
            Approx(metric(all, "tenant.t.latency.p99")).epsilon(0.1));
    }
}

TEST_CASE("opens that wait in a line by chance differ as in the line") {
  // One thread, at 80 %: of M/D/1 half of the requests wait for less than the service, one in a
  // hundred for some ten times as long.
  Component line = filer_of_one_head({{"head.ops", "1 kops/s"}, {"head.service", "1 ms"}});
  const RunResult some = reads(line, "400 ops/s", "40 ops/s", "4 KiB", "1");
  const RunResult all = reads(line, "400 ops/s", "400 ops/s", "4 KiB", "1");
  for (const char* figure : {"", ".p50", ".p95", ".p99"}) {
    const std::string name = std::string("tenant.t.metadata.latency") + figure;
    INFO(name);
    CHECK(metric(some, name) == Approx(metric(all, name)).epsilon(0.3));
  }
}

}  // namespace sampled_test
