#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "models/tenant/call_times.hpp"
#include "models/tenant/host_pages.hpp"
#include "tests/support/designs.hpp"

/// What replays keep in memory: pages of hosts, and times of calls.
namespace replay_memory_test {

using namespace stallcast;
using namespace stallcast::testing;

TEST_CASE("memory of a host holds ranges of files") {
  models::HostPages pages(1000.0);
  CHECK(pages.missing(1, 0, 100).bytes == 100);
  pages.add(1, 100, 200);
  pages.add(1, 300, 400);
  CHECK(pages.missing(1, 50, 450).bytes == 200);
  CHECK(pages.missing(1, 50, 450).pieces == 3);
  CHECK(pages.missing(1, 150, 350).pieces == 1);
  CHECK(pages.missing(1, 120, 180).bytes == 0);
  CHECK(pages.missing(2, 120, 180).bytes == 60);
  pages.add(1, 0, 500);
  CHECK(pages.missing(1, 0, 500).bytes == 0);
  pages.add(2, 0, 600);  // 1,100 bytes: what came first, 100 to 200, goes
  CHECK(pages.missing(1, 0, 500).bytes == 100);
  CHECK(pages.missing(2, 0, 600).bytes == 0);
}

TEST_CASE("ranges in memory are those of a bitmap") {
  std::mt19937 random(3);
  models::HostPages pages(1e9);
  std::vector<bool> held(400);
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t a = random() % 400, b = random() % 400;
    const std::uint64_t begin = std::min(a, b), end = std::max(a, b);
    std::uint64_t bytes = 0, pieces = 0;
    for (std::uint64_t at = begin; at < end; ++at) {
      bytes += held[at] ? 0 : 1;
      pieces += !held[at] && (at == begin || held[at - 1]) ? 1 : 0;
    }
    REQUIRE(pages.missing(5, begin, end).bytes == bytes);
    REQUIRE(pages.missing(5, begin, end).pieces == pieces);
    if (i % 7 != 0) continue;
    pages.add(5, begin, end);
    for (std::uint64_t at = begin; at < end; ++at) held[at] = true;
    if (i % 700 == 0) pages = models::HostPages(1e9), held.assign(400, false);
  }
}

TEST_CASE("latencies keep count, mean and maximum of all") {
  models::CallTimes times;
  for (int i = 1; i <= 200000; ++i) times.add(i, 1.0);
  RunResult out;
  times.report("t", out);
  CHECK(metric(out, "t") == Approx(100000.5));
  CHECK(metric(out, "t.max") == 200000.0);
  CHECK(metric(out, "t.p50") == Approx(100000.0).epsilon(0.01));
  CHECK(metric(out, "t.p99") == Approx(198000.0).epsilon(0.005));
}

}  // namespace replay_memory_test
