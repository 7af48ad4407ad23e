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
                const char* bytes) {
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

}  // namespace sampled_test
