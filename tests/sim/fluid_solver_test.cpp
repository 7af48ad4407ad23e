#include "engine/sim/fluid_solver.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "tests/sim/programs.hpp"

namespace fluid_solver_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::sim;
using stallcast::tests::b;
using stallcast::tests::bps;
using stallcast::tests::s;

namespace {

constexpr Rate kNoCap = Rate::infinity();

// Runs until nothing is left: end in s by key.
std::map<std::uint32_t, double> finish(FluidSolver& solver) {
  std::map<std::uint32_t, double> ends;
  std::vector<std::uint32_t> ended;
  while (solver.flows() > 0) {
    const Seconds next = solver.next_completion();
    REQUIRE(next.finite());
    solver.advance(next, ended);
    REQUIRE(!ended.empty());
    for (const std::uint32_t key : ended) ends[key] = next.in(unit::s);
    ended.clear();
  }
  return ends;
}

}  // namespace

TEST_CASE("a lone flow takes its narrowest link") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps), solver.add_link(4_Bps)};
  solver.start(1, path, b(8), 1.0, kNoCap);
  CHECK(finish(solver)[1] == 2.0);
}

TEST_CASE("what a capped flow leaves goes to the others") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  solver.start(1, path, b(20), 1.0, 2_Bps);
  solver.start(2, path, b(40), 1.0, kNoCap);
  solver.start(3, path, b(20), 1.0, kNoCap);
  // Rates 2, 4, 4: flow 3 ends at 5; then 2 has 20 left at 8 per s: 7.5; flow 1 ends at 10.
  auto ends = finish(solver);
  CHECK(ends[3] == 5.0);
  CHECK(ends[2] == 7.5);
  CHECK(ends[1] == 10.0);
}

TEST_CASE("max-min on two links in a row") {
  // A: link 1 (capacity 1); B: links 1 and 2; C: link 2 (capacity 2). Shares: A = B = 0.5 from
  // link 1, C = 2 - 0.5 = 1.5.
  FluidSolver solver;
  const LinkId one = solver.add_link(1_Bps);
  const LinkId two = solver.add_link(2_Bps);
  const LinkId both[] = {one, two};
  solver.start(1, {&one, 1}, b(5), 1.0, kNoCap);
  solver.start(2, both, b(5), 1.0, kNoCap);
  solver.start(3, {&two, 1}, b(15), 1.0, kNoCap);
  for (const auto& [key, end] : finish(solver)) CHECK(end == Approx(10.0).epsilon(1e-14));
}

TEST_CASE("shares are weighted by members") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(12_Bps)};
  // 3 members and 1: per member 12 / 4 = 3 B/s. Flow 1 ends at 4; then the single one has 24 - 12
  // left at 12 per s.
  solver.start(1, path, b(12), 3.0, kNoCap);
  solver.start(2, path, b(24), 1.0, kNoCap);
  auto ends = finish(solver);
  CHECK(ends[1] == 4.0);
  CHECK(ends[2] == 5.0);
}

TEST_CASE("a link that is crossed twice is used twice") {
  FluidSolver solver;
  const LinkId link = solver.add_link(12_Bps);
  const LinkId twice[] = {link, link};
  // x + 2 x = 12 for the common rate x = 4.
  solver.start(1, twice, b(8), 1.0, kNoCap);
  solver.start(2, {&link, 1}, b(8), 1.0, kNoCap);
  auto ends = finish(solver);
  CHECK(ends[1] == 2.0);
  CHECK(ends[2] == 2.0);
}

TEST_CASE("a capacity that changes counts from that date on") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  solver.start(1, path, b(100), 1.0, kNoCap);
  std::vector<std::uint32_t> ended;
  solver.advance(4_s, ended);
  solver.set_capacity(path[0], 30_Bps);
  CHECK(solver.next_completion() == 6_s);
}

TEST_CASE("flows of one group that start apart end apart") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  std::vector<std::uint32_t> ended;
  solver.start(1, path, b(30), 1.0, kNoCap);
  solver.advance(1_s, ended);
  solver.start(2, path, b(20), 1.0, kNoCap);
  // Both have 20 left at 1 s, at 5 per s each.
  solver.advance(solver.next_completion(), ended);
  CHECK(ended == std::vector<std::uint32_t>{1, 2});
  CHECK(solver.next_completion() == Seconds::infinity());
}

TEST_CASE("a flow that is replaced at the same date needs no new shares") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  std::vector<std::uint32_t> ended;
  for (std::uint32_t key = 0; key < 4; ++key) {
    solver.start(key, path, b(1.0 + key), 1.0, kNoCap);
  }
  static_cast<void>(solver.next_completion());
  const std::uint64_t before = solver.solves();
  for (int i = 0; i < 1000; ++i) {
    solver.advance(solver.next_completion(), ended);
    for (const std::uint32_t key : ended) solver.start(key, path, b(4), 1.0, kNoCap);
    ended.clear();
  }
  CHECK(solver.solves() == before);
}

TEST_CASE("the clock of a group that is never idle stays precise") {
  // One long flow keeps the group busy while small ones pass. At the end the sum of all bytes over
  // the capacity is the date.
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(1_GBps)};
  std::vector<std::uint32_t> ended;
  solver.start(0, path, 1_TB, 1.0, kNoCap);
  for (int i = 0; i < 100'000; ++i) {
    solver.start(1, path, b(1500), 1.0, kNoCap);
    solver.advance(solver.next_completion(), ended);
    REQUIRE(ended == std::vector<std::uint32_t>{1});
    ended.clear();
  }
  CHECK(finish(solver)[0] == Approx(1000.0 + 100'000 * 1500e-9).epsilon(1e-12));
}

TEST_CASE("tiny flows late in a long run still take their time") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(1_GBps)};
  std::vector<std::uint32_t> ended;
  solver.advance(1'000'000_s, ended);
  solver.start(1, path, 1_kB, 1.0, kNoCap);
  // 1 us after 1e6 s, to the resolution of a double there.
  CHECK(finish(solver)[1] - 1e6 == Approx(1e-6).margin(4e-10));
}

TEST_CASE("flows whose dates differ by rounding end together") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(7_Bps)};
  const LinkId other[] = {solver.add_link(bps(7.0 * 3.0 / 7.0))};
  std::vector<std::uint32_t> ended;
  solver.start(1, path, b(0.7), 1.0, kNoCap);
  solver.start(2, other, b(0.1 + 0.2), 1.0, kNoCap);
  solver.advance(solver.next_completion(), ended);
  CHECK(ended == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("many groups come and go without a trace") {
  FluidSolver solver;
  std::vector<LinkId> links;
  for (int i = 0; i < 40; ++i) links.push_back(solver.add_link(10_Bps));
  double date = 0.0;
  std::vector<std::uint32_t> ended;
  for (int i = 0; i < 5000; ++i) {
    // A new cap each time makes a new group each time; capacity 10 is the narrower one.
    const LinkId link = links[static_cast<std::size_t>(i) % links.size()];
    solver.start(1, {&link, 1}, b(20), 1.0, bps(11.0 + i));
    solver.advance(solver.next_completion(), ended);
    REQUIRE(ended.size() == 1);
    ended.clear();
    date += 2.0;
  }
  CHECK(solver.next_completion() == Seconds::infinity());
  const LinkId path[] = {links[0]};
  solver.start(1, path, b(20), 1.0, kNoCap);
  CHECK(solver.next_completion() == s(date + 2.0));
}

TEST_CASE("flows that have room at their caps are shared when somebody takes it") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  std::vector<std::uint32_t> ended;
  solver.start(1, path, b(40), 1.0, 4_Bps);
  solver.start(2, path, b(40), 1.0, 4_Bps);
  CHECK(solver.next_completion() == s(10));
  solver.advance(s(5), ended);
  CHECK(solver.solves() == 0);
  CHECK(solver.left_of(1) == 0.5);

  SECTION("another flow: a third of the link for each, 20 B are left of each") {
    solver.start(3, path, b(20), 1.0, kNoCap);
    CHECK(solver.left_of(1) == 0.5);
    for (const auto& [key, end] : finish(solver)) CHECK(end == Approx(11.0).epsilon(1e-14));
  }
  SECTION("a link that narrows") {
    solver.set_capacity(path[0], 4_Bps);
    for (const auto& [key, end] : finish(solver)) CHECK(end == Approx(15.0).epsilon(1e-14));
  }
  SECTION("nobody: they end as they were to, and the link is free again") {
    for (const auto& [key, end] : finish(solver)) CHECK(end == 10.0);
    solver.start(3, path, b(20), 1.0, kNoCap);
    CHECK(finish(solver)[3] == 12.0);
  }
}

// Who looks at this date may do so before the ends are told.
TEST_CASE("of a flow that has ended nothing is left, shared or alone at its cap") {
  FluidSolver solver;
  const LinkId path[] = {solver.add_link(10_Bps)};
  std::vector<std::uint32_t> ended;
  const double cap = GENERATE(4.0, 20.0);
  solver.start(3, path, b(40), 1.0, bps(cap));
  solver.advance(solver.next_completion(), ended);
  REQUIRE(ended.size() == 1);
  CHECK(solver.left_of(3) == 0.0);
}

TEST_CASE(
    "flows that fill a link as they begin are shared once at most, whatever fits at their caps") {
  // 200 ports of 10 B/s on one pool of 100 B/s: 10 B take 20 s, again and again.
  FluidSolver solver;
  const LinkId pool = solver.add_link(100_Bps);
  std::vector<LinkId> ports;
  for (int i = 0; i < 200; ++i) ports.push_back(solver.add_link(10_Bps));
  std::vector<std::uint32_t> ended;
  for (int round = 0; round < 50; ++round) {
    for (std::uint32_t key = 0; key < ports.size(); ++key)
      solver.start(key, std::array{ports[key], pool}, b(10), 1.0, 10_Bps);
    const double end = 20.0 * (round + 1);
    REQUIRE(solver.next_completion() == s(end));
    solver.advance(s(end), ended);
    REQUIRE(ended.size() == ports.size());
    ended.clear();
    solver.advance(s(end), ended);
  }
  CHECK(solver.solves() <= 3);  // then the level of the link moves
}

TEST_CASE("a cap is a link of one's own, whether links have room or not") {
  std::mt19937_64 engine{7};
  const auto random = [&](double to) {
    return to * (1e-6 + static_cast<double>(engine() >> 11U) * 0x1p-53);
  };
  for (const double load : {0.3, 1.0, 3.0}) {
    INFO(load);
    FluidSolver capped, linked;
    std::vector<LinkId> links;
    for (int i = 0; i < 4; ++i) {
      links.push_back(capped.add_link(100_Bps));
      linked.add_link(100_Bps);
    }
    std::vector<std::uint32_t> ours, theirs;
    double last = 0.0;
    std::uint32_t key = 0;
    for (; key < 3000; ++key) {
      // 4 links of 100 B/s; flows of 50 B on average on one or two of them
      last += random(2.0 * 50.0 * 1.5 / (load * 400.0));
      for (FluidSolver* const solver : {&capped, &linked})
        while (solver->next_completion() <= s(last))
          solver->advance(solver->next_completion(), solver == &capped ? ours : theirs);
      capped.advance(s(last), ours);
      linked.advance(s(last), theirs);
      REQUIRE(ours.size() == theirs.size());
      std::vector<LinkId> path = {links[engine() % 4]};
      if (engine() % 2 == 0) path.push_back(links[engine() % 4]);
      const double members = 1.0 + static_cast<double>(engine() % 3), cap = 1.0 + random(20.0);
      const Bytes size = b(random(100.0));
      capped.start(key, path, size, members, bps(cap));
      path.push_back(linked.add_link(bps(cap * members)));
      linked.start(key, path, size, members, kNoCap);
    }
    const auto left = finish(capped), wanted = finish(linked);
    for (const auto& [one, end] : wanted) CHECK(left.at(one) == Approx(end).epsilon(1e-9));
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    CHECK(ours == theirs);
    CHECK(capped.solves() < linked.solves());
  }
}

}  // namespace fluid_solver_test
