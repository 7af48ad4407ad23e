#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "engine/sim/fluid_solver.hpp"
#include "tests/sim/programs.hpp"

/// Flows of many hosts, each with a port, that fill a pool: groups leave ports out.
namespace passed_links_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::sim;
using stallcast::tests::b;
using stallcast::tests::bps;
using stallcast::tests::s;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Max-min shares found afresh at every date, flow by flow.
class Afresh {
 public:
  struct One {
    std::vector<LinkId> path;
    double left, size, members, cap, rate = 0.0;
  };
  std::vector<double> capacities;
  std::map<std::uint32_t, One> flows;

  double next() {
    share();
    double first = kNever;
    for (const auto& [key, one] : flows) first = std::min(first, one.left / one.rate);
    return now_ + first;
  }
  void advance(double to) {
    share();
    for (auto& [key, one] : flows) one.left -= one.rate * (to - now_);
    now_ = to;
  }

 private:
  void share() {
    std::vector<double> room = capacities;
    std::vector<One*> open;
    for (auto& [key, one] : flows) open.push_back(&one);
    while (!open.empty()) {
      std::vector<double> weight(room.size(), 0.0);
      for (const One* one : open)
        for (const LinkId at : one->path) weight[at.index] += one->members;
      const auto most = [&](const One& one) {
        double out = one.cap;
        for (const LinkId at : one.path) out = std::min(out, room[at.index] / weight[at.index]);
        return out;
      };
      double level = kNever;
      for (const One* one : open) level = std::min(level, most(*one));
      std::vector<One*> closed;
      for (One* one : open)
        if (most(*one) <= level * (1.0 + 1e-12)) closed.push_back(one);
      for (One* one : closed) {
        one->rate = level;
        for (const LinkId at : one->path) room[at.index] -= level * one->members;
        std::erase(open, one);
      }
    }
  }
  double now_ = 0.0;
};

}  // namespace

TEST_CASE("links that flows pass without their groups naming them hold nobody, or are named") {
  // 60 ports; a pool that all cross, beside one that is a little wider for all but a few.
  const double ports = GENERATE(2.0, 8.0, 50.0), running = GENERATE(140.0, 220.0);
  INFO(ports << " B/s a port, " << running << " flows");
  std::mt19937_64 engine{3};
  const auto below = [&](std::uint64_t n) { return engine() % n; };
  const auto random = [&](double from, double to) {
    return from + (to - from) * static_cast<double>(engine() >> 11U) * 0x1p-53;
  };
  FluidSolver solver;
  Afresh wanted;
  std::vector<LinkId> links;
  for (std::size_t i = 0; i < 62; ++i) {
    wanted.capacities.push_back(i == 0 ? 100.0 : i == 1 ? 110.0 : ports);
    links.push_back(solver.add_link(bps(wanted.capacities.back())));
  }
  double now = 0.0;
  std::vector<std::uint32_t> ended;
  std::uint32_t key = 0;
  const auto start = [&](double size) {
    std::vector<LinkId> path{links[0], links[2 + below(60)]};
    if (below(10) > 0) path.push_back(links[1]);
    if (below(40) == 0) path.push_back(links[2 + below(60)]);  // others on two ports,
    if (below(60) == 0) path.erase(path.begin());              // or past the pool
    const double members = below(12) == 0 ? 2.5 : 1.0;
    const double cap = below(3) == 0 ? kNever : below(20) == 0 ? 0.4 : ports;
    solver.start(key, path, b(size), members, bps(cap));
    wanted.flows[key++] = {path, size, size, members, cap};
  };
  for (int date = 0; date < 600; ++date) {
    // Together and alike, or one by one and each of its own size; sometimes all of them end.
    const bool alike = date / 40 % 2 == 0, drains = date / 100 % 3 == 2;
    const double size = random(1.0, 20.0);
    if (!drains || wanted.flows.empty())
      while (static_cast<double>(wanted.flows.size()) < running)
        start(alike ? size : random(1.0, 20.0));
    if (below(30) == 0) {
      const std::size_t at = below(4) == 0 ? 0 : 2 + below(60);
      const double to = wanted.capacities[at] = (at == 0 ? 100.0 : ports) * random(0.3, 1.0);
      solver.set_capacity(links[at], bps(to));
    }
    const double next = solver.next_completion().in(unit::s);
    REQUIRE(next - now == Approx(wanted.next() - now).epsilon(1e-8).margin(1e-9 * now));
    wanted.advance(next);
    now = next;
    solver.advance(s(next), ended);
    for (auto& [one, flow] : wanted.flows) REQUIRE(solver.left_of(one) * flow.left >= 0.0);
    const auto size_left = [&](const auto& flow) {
      return flow.second.left / (flow.second.size * solver.left_of(flow.first));
    };
    for (const std::uint32_t one : ended) {
      REQUIRE(wanted.flows.at(one).left == Approx(0.0).margin(1e-7));
      wanted.flows.erase(one);
    }
    for (const auto& flow : wanted.flows) REQUIRE(size_left(flow) == Approx(1.0).epsilon(1e-6));
    ended.clear();
  }
}

TEST_CASE("a pool that many ports fill is shared as one, not port by port") {
  // 200 ports of 10 B/s on one pool of 100 B/s: 10 B take 20 s, again and again.
  FluidSolver solver;
  const LinkId pool = solver.add_link(100_Bps);
  std::vector<LinkId> ports;
  for (int i = 0; i < 200; ++i) ports.push_back(solver.add_link(10_Bps));
  std::vector<std::uint32_t> ended;
  const auto round = [&] {
    for (std::uint32_t key = 0; key < ports.size(); ++key)
      solver.start(key, std::array{ports[key], pool}, b(10), 1.0, 10_Bps);
    solver.advance(solver.next_completion(), ended);
    REQUIRE(ended.size() == ports.size());
    ended.clear();
  };
  round();  // the first of them begin before it is worth looking at who crosses what
  const std::uint64_t before = solver.solved_groups();
  for (int i = 0; i < 100; ++i) round();
  CHECK(solver.solved_groups() - before <= 2 * 100);
}

}  // namespace passed_links_test
