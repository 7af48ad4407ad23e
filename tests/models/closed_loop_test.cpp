#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "models/tenant/closed_loop.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"
#include "tests/support/mean_value_analysis.hpp"

/// Closed loops of tenants against exact mean value analysis: docs/models/tenants.md, eq. 15.
namespace closed_loop_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// One host with requests of 56 KiB in flight on a filer of one controller, 10 us away, for 100 s.
constexpr double kBytes = 57344.0, kAway = 10e-6;

RunResult filer(const char* pattern, int depth, Settings store) {
  Design design = small_design();
  design.jobs.clear();
  set(design.run, Role::run, "duration", "100 s");
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}}));
  design.storage[0] = filer_of_one_head({{"client.connection", "100 GB/s"},
                                         {"client.stream", "100 GB/s"},
                                         {"head.read", "100 GB/s"},
                                         {"head.write", "100 GB/s"}});
  for (const auto& [key, value] : store) set(design.storage[0], Role::storage, key, value);
  design.tenants.push_back(
      component(Role::tenant, "fio", "x",
                {{"on", "scratch"}, {"hosts", "other"}, {"rw", pattern}, {"bs", "56 KiB"}}));
  set(design.tenants[0], Role::tenant, "iodepth", std::to_string(depth).c_str());
  return run(design);
}

// Requests a second, and by Little's law how long each takes.
void check(const RunResult& result, int depth, double rate, double precision) {
  INFO("depth " << depth);
  CHECK(metric(result, "tenant.x.operations") == Approx(rate).epsilon(precision));
  CHECK(metric(result, "tenant.x.latency") == Approx(depth / rate).epsilon(precision));
}

constexpr int kDepths[] = {1, 2, 3, 4, 8, 16, 32, 64, 256};
// Requests of a line take equal times, those of the analysis exponential ones.
constexpr double kNearly = 0.045;

}  // namespace

TEST_CASE("one station: requests in flight share a link as in exact MVA") {
  // 250 us of service by as many threads as there are requests
  for (const int depth : kDepths)
    check(filer("randread", depth, {{"client.connection", "1.5 GB/s"}}), depth,
          mean_value_analysis(depth, kAway + 250e-6, {{kBytes / 1.5e9}}), 0.01);
}

TEST_CASE("two stations: some requests are at the controller while others are on the link") {
  struct Case {
    const char *operations, *service, *link;
    int threads;
    double rate, bytes;
  };
  for (const Case& one : {Case{"26 kops/s", "250 us", "1.5 GB/s", 7, 26e3, 1.5e9},
                          Case{"26 kops/s", "38 us", "1.5 GB/s", 1, 26e3, 1.5e9},
                          Case{"26 kops/s", "38 us", "3 GB/s", 1, 26e3, 3e9},
                          Case{"52 kops/s", "19 us", "1.5 GB/s", 1, 52e3, 1.5e9}}) {
    INFO(one.operations << ", " << one.service << ", " << one.link);
    for (const int depth : kDepths)
      check(filer("randread", depth,
                  {{"head.ops", one.operations},
                   {"head.service", one.service},
                   {"client.connection", one.link}}),
            depth,
            mean_value_analysis(depth, kAway,
                                {{one.threads / one.rate, one.threads}, {kBytes / one.bytes}}),
            kNearly);
  }
}

TEST_CASE("three stations: a controller, a link of reads and one of writes") {
  // A cycle is a read and a write; twice as many requests
  for (const int depth : kDepths)
    check(filer("randrw", depth,
                {{"head.ops", "40 kops/s"},
                 {"head.service", "25 us"},
                 {"client.connection", "1.5 GB/s"}}),
          depth,
          2.0 * mean_value_analysis(depth, 2.0 * kAway,
                                    {{2.0 / 40e3}, {kBytes / 1.5e9}, {kBytes / 1.5e9}}),
          kNearly);
}

TEST_CASE("what one request in flight takes is exact, and always the same") {
  const RunResult one =
      filer("randread", 1, {{"head.ops", "26 kops/s"}, {"client.connection", "1.5 GB/s"}});
  const double alone = kAway + 7.0 / 26e3 + kBytes / 1.5e9;
  CHECK(metric(one, "tenant.x.latency") == Approx(alone).epsilon(1e-9));
  CHECK(metric(one, "tenant.x.latency.max") == Approx(alone).epsilon(1e-9));
}

TEST_CASE("parts of a loop have all its members, and as many requests as are drawn on average") {
  for (const double members : {0.5, 1.0, 7.0, 16.0, 33.0, 1000.0}) {
    INFO(members << " members");
    double all = 0.0;
    for (const double part : models::loop_members(members)) all += part;
    CHECK(all == Approx(members));
  }
  models::ClosedLoop loop(1.0, {0, 2.0}, 4.0, std::make_shared<double>(4.0), 64.0,
                          base::RandomStream(1, "x", "reads"));
  for (int i = 0; i < 4; ++i) {
    (void)loop.next();
    loop.took(Seconds::from(1.0, unit::s), Seconds::from(1e6, unit::s));
  }
  double asked = 0.0;
  constexpr int kRounds = 10'000;
  for (int i = 0; i < kRounds; ++i) {
    const double round = loop.next();
    REQUIRE(round == 4.0 * std::round(round / 4.0));
    REQUIRE(round >= 28.0);
    REQUIRE(round <= 100.0);
    asked += round;
  }
  CHECK(asked / kRounds == Approx(64.0).epsilon(0.01));
}

TEST_CASE("what requests take contains the tail of the drives' latency") {
  // Of a drive that reads 4 KiB in 80 us and an exponential time, 99 % in 240 us; one request in
  // flight. The slowest of two drives: p99 = m ln(1 / (1 - sqrt(0.99))), mean 1.5 m.
  const auto latency = [](const char* drives, const char* block, const char* quantile) {
    Design design = small_design();
    design.jobs.clear();
    set(design.run, Role::run, "duration", "10 s");
    design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}}));
    design.storage[0] = component(Role::storage, "local", "scratch",
                                  {{"drive.count", drives},
                                   {"drive.latency", "80 us"},
                                   {"drive.latency_p99", "240 us"},
                                   {"drive.read", "1000 GB/s"},
                                   {"raid.chunk", "4 KiB"}});
    design.tenants.push_back(
        component(Role::tenant, "fio", "x",
                  {{"on", "scratch"}, {"hosts", "other"}, {"bs", block}, {"direct", "true"}}));
    return metric(run(design), std::string("tenant.x.latency") + quantile);
  };
  const double tail = 160e-6 / std::log(100.0);
  CHECK(latency("1", "4 KiB", "") == Approx(80e-6 + tail).epsilon(0.01));
  CHECK(latency("1", "4 KiB", ".p50") == Approx(80e-6 + tail * std::log(2.0)).epsilon(0.01));
  CHECK(latency("1", "4 KiB", ".p99") == Approx(240e-6).epsilon(0.01));
  CHECK(latency("2", "8 KiB", "") == Approx(80e-6 + 1.5 * tail).epsilon(0.01));
  CHECK(latency("2", "8 KiB", ".p99") ==
        Approx(80e-6 - tail * std::log(1.0 - std::sqrt(0.99))).epsilon(0.01));
}

}  // namespace closed_loop_test
