// SimGrid's defaults are made for TCP over wide areas. Each of these tests fails if one of them
// comes back; the distorted figures in the comments were measured with the defaults of 3.32.
#include <catch2/catch.hpp>
#include <vector>

#include "engine/sim/simgrid_context.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/programs.hpp"

namespace simgrid_neutral_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::tests;
using sim::Context;
using sim::LinkId;

namespace {

// The ends of what `transfers` makes of a fresh context, each in a process of its own.
template <class Make>
std::vector<double> ends(Make make) {
  return in_child([&] {
    const auto context = sim::make_simgrid_context(sim::FlowBackend::comm);
    return ends_of(*context, make(*context));
  });
}

using Transfers = std::vector<Transfer>;

}  // namespace

TEST_CASE("a 50 GB/s link delivers 50 GB/s: no bandwidth factor, no window") {
  // Defaults: 46.19 GB/s by the factor 0.97 and crosstraffic; 10.5 GB/s at 200 us by TCP-gamma.
  const auto end = ends([](Context& c) {
    return Transfers{{.path = {c.add_link("link", 50_GBps)}, .bytes = 500_GB}};
  });
  CHECK(end[0] == Approx(10.0).epsilon(1e-12));
}

TEST_CASE("both directions of a cable carry full rate: no crosstraffic") {
  // Default: 5 % of each flow is charged to the way back, 47.62 GB/s.
  const auto end = ends([](Context& c) {
    const LinkId up = c.add_link("up", 50_GBps);
    const LinkId down = c.add_link("down", 50_GBps);
    return Transfers{{.path = {up}, .bytes = 50_GB}, {.path = {down}, .bytes = 50_GB}};
  });
  CHECK(end[0] == Approx(1.0).epsilon(1e-12));
  CHECK(end[1] == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("a fast and a slow adapter share a pool equally: no weight by capacity") {
  // Default: 38.5 % to 61.5 %.
  const auto end = ends([](Context& c) {
    const LinkId pool = c.add_link("pool", 80_GBps);
    return Transfers{{.path = {c.add_link("slow", 100_GBps), pool}, .bytes = 40_GB},
                     {.path = {c.add_link("fast", 400_GBps), pool}, .bytes = 40_GB}};
  });
  CHECK(end[0] == Approx(1.0).epsilon(1e-12));
  CHECK(end[1] == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("sharing does not depend on latency, which is a timer") {
  // With latencies on links, one of 1 us next to one of none gets all the capacity, and 4 KiB at
  // 2 us take 26 us.
  const auto got = in_child([] {
    const auto context = sim::make_simgrid_context(sim::FlowBackend::comm);
    const LinkId link = context->add_link("link", 50_GBps);
    std::vector<double> dates(2);
    const auto program = [](Context& c, LinkId path, Seconds latency,
                            double& end) -> sim::Task<void> {
      co_await c.transfer({.path = std::span(&path, 1), .bytes = 25_GB});
      co_await c.sleep(latency);
      end = c.now().in(unit::s);
    };
    context->spawn(program(*context, link, 10_us, dates[0]));
    context->spawn(program(*context, link, 0_s, dates[1]));
    context->run();
    return dates;
  });
  CHECK(got[0] == Approx(1.00001).epsilon(1e-12));
  CHECK(got[1] == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("a class weighs as much as its members") {
  // 100 B/s among 24.5 + 0.5 members: 4 B/s each.
  const auto end = ends([](Context& c) {
    const LinkId link = c.add_link("link", 100_Bps);
    return Transfers{{.path = {link}, .bytes = 20_B, .members = 24.5},
                     {.path = {link}, .bytes = 20_B, .members = 0.5}};
  });
  CHECK(end[0] == Approx(5.0).epsilon(1e-12));
  CHECK(end[1] == Approx(5.0).epsilon(1e-12));
}

TEST_CASE("caps hold although a send ignores its rate limit") {
  // set_rate on a sendto is ignored by 3.32: 1 s instead of 5 s.
  const auto end = ends([](Context& c) {
    const LinkId link = c.add_link("link", 50_GBps);
    return Transfers{{.path = {link}, .bytes = 50_GB, .cap = 10_GBps},
                     {.path = {link}, .bytes = 50_GB, .members = 3, .cap = 10_GBps, .start = 9_s},
                     {.path = {link}, .bytes = 50_GB, .cap = 5_GBps, .start = 20_s}};
  });
  CHECK(end[0] == Approx(5.0).epsilon(1e-12));
  CHECK(end[1] == Approx(14.0).epsilon(1e-12));
  CHECK(end[2] == Approx(30.0).epsilon(1e-12));
}

TEST_CASE("sizes need not be whole bytes") {
  // Payloads are integers in SimGrid, and one of zero bytes never completes.
  const auto end = ends([](Context& c) {
    const LinkId link = c.add_link("link", 1_Bps);
    return Transfers{{.path = {link}, .bytes = b(0.7)}, {.path = {link}, .bytes = b(0.0)}};
  });
  CHECK(end[0] == Approx(0.7).epsilon(1e-12));
  CHECK(end[1] == 0.0);
}

TEST_CASE("a transfer within a node is bounded by its links only: no 10 GB/s loopback") {
  const auto end = ends([](Context& c) {
    return Transfers{{.path = {c.add_link("memory", 100_GBps)}, .bytes = 100_GB}};
  });
  CHECK(end[0] == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("short flows late in a long run keep their length") {
  // The resolution of a double at 1e6 s is 1e-10 s.
  const auto end = ends([](Context& c) {
    return Transfers{{.path = {c.add_link("link", 1_GBps)}, .bytes = 100_kB, .start = 1'000'000_s}};
  });
  CHECK(end[0] - 1e6 == Approx(1e-4).margin(1e-9));
}

TEST_CASE("a chain of a thousand links does not overflow the stack") {
  const auto end = ends([](Context& c) {
    Transfers transfers;
    LinkId before = c.add_link("link", 2_Bps);
    for (int i = 0; i < 1000; ++i) {
      const LinkId next = c.add_link("link", 2_Bps);
      transfers.push_back({.path = {before, next}, .bytes = 2_B});
      before = next;
    }
    return transfers;
  });
  // Inner links carry two flows each; every flow crosses at least one.
  for (const double one : end) CHECK(one == Approx(2.0).epsilon(1e-9));
}

}  // namespace simgrid_neutral_test
