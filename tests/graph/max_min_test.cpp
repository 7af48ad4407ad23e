#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "engine/graph/topology.hpp"

namespace max_min_test {

using namespace stallcast;
using namespace stallcast::graph;
using namespace stallcast::literals;

namespace {

Approx close(Rate rate) { return Approx(rate.in(unit::Bps)).epsilon(1e-9).margin(0.0); }
double bps(Rate rate) { return rate.in(unit::Bps); }

/// A topology of separate edges: max-min shares only look at paths as lists of edges.
struct Edges {
  Topology topology;
  NodeId a = topology.add_node("a", NodeRole::host);
  NodeId b = topology.add_node("b", NodeRole::target);
  EdgeId add(Rate capacity) { return topology.add_edge(a, b, "edge", capacity); }
  std::vector<Rate> shares(const std::vector<Demand>& demands) const {
    return max_min_shares(topology, demands);
  }
};

}  // namespace

TEST_CASE("equal demands share one edge equally") {
  Edges edges;
  const EdgeId link = edges.add(12_GBps);
  const auto shares = edges.shares({{{link}}, {{link}}, {{link}}});
  for (const Rate share : shares) CHECK(bps(share) == close(4_GBps));
}

TEST_CASE("a class of n members takes n shares and each member gets one") {
  // 63 members + 1: 64 GB/s / 64 = 1 GB/s for every member.
  Edges edges;
  const EdgeId link = edges.add(64_GBps);
  const auto shares = edges.shares({{{link}, 63.0}, {{link}, 1.0}});
  CHECK(bps(shares[0]) == close(1_GBps));
  CHECK(bps(shares[1]) == close(1_GBps));
}

TEST_CASE("what a capped class leaves is shared by the others") {
  // 10 GB/s; four members capped at 1 GB/s take 4, the two others (10 - 4) / 2 = 3 GB/s each.
  Edges edges;
  const EdgeId link = edges.add(10_GBps);
  const auto shares = edges.shares({{{link}, 4.0, 1_GBps}, {{link}, 2.0}});
  CHECK(bps(shares[0]) == close(1_GBps));
  CHECK(bps(shares[1]) == close(3_GBps));
}

TEST_CASE("a long demand is held by its narrowest edge and the short ones take the rest") {
  // Two edges of 1 and 2 GB/s. x0 crosses both, x1 the first, x2 the second.
  // The first edge fills at 0.5: x0 = x1 = 0.5. Then x2 = 2 - 0.5 = 1.5.
  Edges edges;
  const EdgeId first = edges.add(1_GBps);
  const EdgeId second = edges.add(2_GBps);
  const auto shares = edges.shares({{{first, second}}, {{first}}, {{second}}});
  CHECK(bps(shares[0]) == close(0.5_GBps));
  CHECK(bps(shares[1]) == close(0.5_GBps));
  CHECK(bps(shares[2]) == close(1.5_GBps));
}

TEST_CASE("a path that crosses an edge twice uses it twice") {
  // 2 x + y = 3 GB/s with x = y: 1 GB/s each.
  Edges edges;
  const EdgeId link = edges.add(3_GBps);
  const auto shares = edges.shares({{{link, link}}, {{link}}});
  CHECK(bps(shares[0]) == close(1_GBps));
  CHECK(bps(shares[1]) == close(1_GBps));
}

TEST_CASE("a demand that nothing limits has no finite share") {
  Edges edges;
  const EdgeId open = edges.add(Rate::infinity());
  const EdgeId link = edges.add(1_GBps);
  const auto shares =
      edges.shares({{{open}}, {{}}, {{open}, 5.0, 2_GBps}, {{open, link}}, {{}, 1.0, 3_GBps}});
  CHECK(shares[0] == Rate::infinity());
  CHECK(shares[1] == Rate::infinity());
  CHECK(shares[2] == 2_GBps);
  CHECK(bps(shares[3]) == close(1_GBps));
  CHECK(shares[4] == 3_GBps);
  CHECK(edges.shares({}).empty());
}

TEST_CASE("an edge without capacity stops only those who cross it") {
  Edges edges;
  const EdgeId closed = edges.add(Rate{});
  const EdgeId link = edges.add(1_GBps);
  const auto shares = edges.shares({{{closed, link}}, {{link}}});
  CHECK(shares[0] == Rate{});
  CHECK(bps(shares[1]) == close(1_GBps));
}

// Bertsekas and Gallager 6.5.2: a feasible vector is max-min fair if and only if each demand has a
// bottleneck: an edge that is full and on which no other demand has a larger rate (or it is at its
// cap). That is: no demand can grow without a demand that is no larger having to shrink.
TEST_CASE("every demand of a random system has a bottleneck and no edge is overloaded") {
  std::mt19937_64 random(7);
  const auto uniform = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  for (int round = 0; round < 300; ++round) {
    Edges edges;
    std::vector<EdgeId> links;
    const std::size_t link_count = 1 + random() % 8;
    for (std::size_t i = 0; i < link_count; ++i)
      links.push_back(edges.add(Rate::from(uniform(0.1, 100.0), unit::GBps)));
    std::vector<Demand> demands(1 + random() % 12);
    for (Demand& demand : demands) {
      for (const EdgeId link : links)
        if (random() % 3 == 0) demand.path.push_back(link);
      if (demand.path.empty()) demand.path.push_back(links[random() % link_count]);
      demand.weight = random() % 2 ? 1.0 : uniform(0.5, 20000.0);
      if (random() % 3 == 0) demand.cap = Rate::from(uniform(1e-4, 10.0), unit::GBps);
    }
    const std::vector<Rate> shares = edges.shares(demands);

    std::vector<double> used(link_count, 0.0), largest(link_count, 0.0);
    for (std::size_t d = 0; d < demands.size(); ++d)
      for (const EdgeId link : demands[d].path) {
        used[link.index] += demands[d].weight * bps(shares[d]);
        largest[link.index] = std::max(largest[link.index], bps(shares[d]));
      }
    INFO("round " << round);
    for (const EdgeId link : links)
      CHECK(used[link.index] <= bps(edges.topology.capacity(link)) * (1 + 1e-9));
    for (std::size_t d = 0; d < demands.size(); ++d) {
      CHECK(shares[d] <= demands[d].cap);
      bool held = shares[d] == demands[d].cap;
      for (const EdgeId link : demands[d].path)
        held |= used[link.index] >= bps(edges.topology.capacity(link)) * (1 - 1e-9) &&
                largest[link.index] <= bps(shares[d]) * (1 + 1e-9);
      CHECK(held);
    }
  }
}

TEST_CASE("folding n equal demands into one class changes no share") {
  Edges folded, unfolded;
  const EdgeId pool = folded.add(100_GBps);
  unfolded.add(100_GBps);
  std::vector<Demand> members(48, Demand{{pool}});
  members.push_back({{pool}, 1.0, 0.25_GBps});
  const auto one_by_one = unfolded.shares(members);
  const auto together = folded.shares({{{pool}, 48.0}, {{pool}, 1.0, 0.25_GBps}});
  for (std::size_t i = 0; i < 48; ++i) CHECK(bps(one_by_one[i]) == close(together[0]));
  CHECK(one_by_one[48] == together[1]);
}

}  // namespace max_min_test
