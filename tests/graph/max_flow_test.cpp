#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/graph/topology.hpp"

namespace max_flow_test {

using namespace stallcast;
using namespace stallcast::graph;
using namespace stallcast::literals;

namespace {

Approx close(Rate rate) { return Approx(rate.in(unit::Bps)).epsilon(1e-9).margin(0.0); }
double value(const Topology::Cut& cut) { return cut.value.in(unit::Bps); }

/// What a brute-forced search over all cuts finds: the least capacity, and the edges of the least
/// cut whose source side is smallest.
struct BestCut {
  double value = std::numeric_limits<double>::infinity();
  std::vector<EdgeId> edges;
};

struct RandomGraph {
  struct Arc {
    std::uint32_t from, to;
    double capacity;
  };
  std::uint32_t nodes = 0;
  std::vector<Arc> arcs;
  Topology topology;

  BestCut brute_force(std::uint32_t sources, std::uint32_t sinks) const {
    BestCut best;
    std::uint32_t smallest = ~0u;  // minimum cuts are closed under intersection of source sides
    const auto capacity_of = [&](std::uint32_t side) {
      double sum = 0.0;
      for (const Arc& arc : arcs)
        if ((side >> arc.from & 1u) && !(side >> arc.to & 1u)) sum += arc.capacity;
      return sum;
    };
    for (std::uint32_t side = 0; side < (1u << nodes); ++side) {
      if ((side & sources) != sources || (side & sinks) != 0) continue;
      const double sum = capacity_of(side);
      if (sum < best.value) smallest = side;
      if (sum <= best.value) smallest &= side;
      best.value = std::min(best.value, sum);
    }
    for (std::uint32_t i = 0; i < arcs.size() && best.value < INFINITY; ++i)
      if ((smallest >> arcs[i].from & 1u) && !(smallest >> arcs[i].to & 1u))
        best.edges.push_back(EdgeId{i});
    return best;
  }
};

/// Small whole capacities, so that several minimum cuts are frequent; one edge in 8 is unlimited.
RandomGraph random_graph(std::mt19937_64& random, double unit_rate) {
  RandomGraph graph;
  graph.nodes = static_cast<std::uint32_t>(3 + random() % 6);
  for (std::uint32_t n = 0; n < graph.nodes; ++n)
    graph.topology.add_node(std::to_string(n), NodeRole::network);
  const std::uint64_t count = 2 + random() % 18;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % graph.nodes);
    const auto to = static_cast<std::uint32_t>(random() % graph.nodes);
    const double capacity =
        random() % 8 == 0 ? INFINITY : static_cast<double>(1 + random() % 6) * unit_rate;
    graph.arcs.push_back({from, to, capacity});
    graph.topology.add_edge(NodeId{from}, NodeId{to}, std::to_string(i),
                            Rate::from(capacity, unit::Bps));
  }
  return graph;
}

}  // namespace

TEST_CASE("the maximum flow of a chain is its narrowest edge") {
  Topology topology;
  const NodeId gpu = topology.add_node("gpu", NodeRole::gpu);
  const NodeId net = topology.add_node("net", NodeRole::network);
  const NodeId oss = topology.add_node("oss", NodeRole::server);
  const NodeId ost = topology.add_node("ost", NodeRole::target);
  topology.add_edge(gpu, net, "gpu.nic", 400_GBps);
  const EdgeId nic = topology.add_edge(net, oss, "oss.nic", 50_GBps);
  topology.add_edge(oss, ost, "ost.read", 80_GBps);
  const auto cut = topology.max_flow(std::vector{gpu}, std::vector{ost});
  CHECK(cut.value == 50_GBps);
  CHECK(cut.edges == std::vector{nic});
}

TEST_CASE("flow splits over servers and each branch is cut where it is narrowest") {
  // 10 servers, each 50 GB/s of NIC in front of 4 targets of 10 GB/s, but the last has only 3:
  // 9 x min(50, 40) + min(50, 30) = 390 GB/s, cut at the targets; the fabric carries 1000 GB/s.
  Topology topology;
  const NodeId hosts = topology.add_node("hosts", NodeRole::host);
  const NodeId net = topology.add_node("net", NodeRole::network);
  topology.add_edge(hosts, net, "fabric", 1000_GBps);
  std::vector<NodeId> targets;
  std::vector<EdgeId> reads;
  for (int s = 0; s < 10; ++s) {
    const NodeId server = topology.add_node("oss" + std::to_string(s), NodeRole::server);
    topology.add_edge(net, server, "nic", 50_GBps);
    for (int t = 0; t < (s == 9 ? 3 : 4); ++t) {
      targets.push_back(
          topology.add_node("ost" + std::to_string(s) + "." + std::to_string(t), NodeRole::target));
      reads.push_back(topology.add_edge(server, targets.back(), "read", 10_GBps));
    }
  }
  const auto cut = topology.max_flow(std::vector{hosts}, targets);
  CHECK(value(cut) == close(390_GBps));
  CHECK(cut.edges == reads);
}

TEST_CASE("of equal cuts the one nearest to the sources is named") {
  Topology topology;
  const NodeId a = topology.add_node("a", NodeRole::host);
  const NodeId b = topology.add_node("b", NodeRole::network);
  const NodeId c = topology.add_node("c", NodeRole::target);
  const NodeId d = topology.add_node("d", NodeRole::target);
  const EdgeId first = topology.add_edge(a, b, "first", 1_GBps);
  // Three thirds, whose sum as doubles need not be 1 GB/s: still the same cut.
  for (int i = 0; i < 3; ++i) topology.add_edge(b, c, "third", 1_GBps / 3.0);
  topology.add_edge(c, d, "last", 1_GBps);
  const auto cut = topology.max_flow(std::vector{a}, std::vector{d});
  CHECK(value(cut) == close(1_GBps));
  CHECK(cut.edges == std::vector{first});
}

TEST_CASE("several sources and sinks act together") {
  // Two sources of 3 and 4 GB/s into one switch, two sinks of 5 and 6 GB/s: 7 GB/s.
  Topology topology;
  const NodeId s1 = topology.add_node("s1", NodeRole::host);
  const NodeId s2 = topology.add_node("s2", NodeRole::host);
  const NodeId net = topology.add_node("net", NodeRole::network);
  const NodeId t1 = topology.add_node("t1", NodeRole::target);
  const NodeId t2 = topology.add_node("t2", NodeRole::target);
  const EdgeId e1 = topology.add_edge(s1, net, "e1", 3_GBps);
  const EdgeId e2 = topology.add_edge(s2, net, "e2", 4_GBps);
  topology.add_edge(net, t1, "e3", 5_GBps);
  topology.add_edge(net, t2, "e4", 6_GBps);
  const auto cut = topology.max_flow(std::vector{s1, s2, s1}, std::vector{t1, t2});
  CHECK(value(cut) == close(7_GBps));
  CHECK(cut.edges == std::vector{e1, e2});
}

TEST_CASE("an unlimited path has no cut and a missing one carries nothing") {
  Topology topology;
  const NodeId a = topology.add_node("a", NodeRole::host);
  const NodeId b = topology.add_node("b", NodeRole::network);
  const NodeId c = topology.add_node("c", NodeRole::target);
  const EdgeId closed = topology.add_edge(a, b, "ab", Rate{});
  topology.add_edge(b, c, "bc", Rate::infinity());
  CHECK(topology.max_flow(std::vector{b}, std::vector{c}).value == Rate::infinity());
  CHECK(topology.max_flow(std::vector{b}, std::vector{c}).edges.empty());
  CHECK(topology.max_flow(std::vector{a}, std::vector{a}).value == Rate::infinity());
  CHECK(topology.max_flow(std::vector{c}, std::vector{a}).value == Rate{});
  CHECK(topology.max_flow(std::vector{c}, std::vector{a}).edges.empty());
  CHECK(topology.max_flow(std::vector{a}, std::vector{c}).value == Rate{});
  CHECK(topology.max_flow(std::vector{a}, std::vector{c}).edges == std::vector{closed});
}

TEST_CASE("a narrow edge counts exactly next to edges a trillion times as wide") {
  Topology topology;
  const NodeId a = topology.add_node("a", NodeRole::host);
  const NodeId b = topology.add_node("b", NodeRole::network);
  const NodeId c = topology.add_node("c", NodeRole::target);
  topology.add_edge(a, b, "wide", Rate::from(1e18, unit::Bps));
  const EdgeId e1 = topology.add_edge(b, c, "narrow", Rate::from(1.0 / 3.0, unit::Bps));
  const EdgeId e2 = topology.add_edge(b, c, "narrow", Rate::from(1e-3, unit::Bps));
  const auto cut = topology.max_flow(std::vector{a}, std::vector{c});
  CHECK(value(cut) == close(Rate::from(1.0 / 3.0 + 1e-3, unit::Bps)));
  CHECK(cut.edges == std::vector{e1, e2});
}

TEST_CASE("maximum flow equals the least of all cuts on random small graphs") {
  std::mt19937_64 random(20250301);
  for (const double unit_rate : {1.0, 1e9 / 7.0, 2.5e15}) {
    for (int round = 0; round < 400; ++round) {
      const RandomGraph graph = random_graph(random, unit_rate);
      std::vector<NodeId> sources{NodeId{0}};
      std::vector<NodeId> sinks{NodeId{graph.nodes - 1}};
      std::uint32_t source_bits = 1u, sink_bits = 1u << (graph.nodes - 1);
      if (graph.nodes > 4 && round % 2 == 0) {
        sources.push_back(NodeId{1});
        sinks.push_back(NodeId{graph.nodes - 2});
        source_bits |= 1u << 1;
        sink_bits |= 1u << (graph.nodes - 2);
      }
      const BestCut best = graph.brute_force(source_bits, sink_bits);
      const Topology::Cut cut = graph.topology.max_flow(sources, sinks);
      INFO("unit " << unit_rate << ", round " << round);
      if (best.value == INFINITY) {
        CHECK(cut.value == Rate::infinity());
        continue;
      }
      CHECK(value(cut) == close(Rate::from(best.value, unit::Bps)));
      if (unit_rate == 1.0) CHECK(cut.edges == best.edges);  // sums of whole numbers tie exactly
    }
  }
}

}  // namespace max_flow_test
