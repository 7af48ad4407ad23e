#include "engine/graph/topology.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace topology_test {

using namespace stallcast;
using namespace stallcast::graph;
using namespace stallcast::literals;

TEST_CASE("a topology remembers names, roles and capacities") {
  Topology topology;
  const NodeId host = topology.add_node("host", NodeRole::host);
  const NodeId target = topology.add_node("storage.ost", NodeRole::target);
  const EdgeId nic = topology.add_edge(host, target, "host.nic", 400_Gbps);
  CHECK(topology.node_count() == 2);
  CHECK(topology.edge_count() == 1);
  CHECK(topology.name(host) == "host");
  CHECK(topology.role(target) == NodeRole::target);
  CHECK(topology.name(nic) == "host.nic");
  CHECK(topology.capacity(nic) == 50_GBps);
  CHECK(topology.node("storage.ost") == target);

  const Topology moved = std::move(topology);
  CHECK(moved.node("host") == host);
}

TEST_CASE("a route takes the fewest hops") {
  Topology topology;
  const NodeId a = topology.add_node("a", NodeRole::host);
  const NodeId b = topology.add_node("b", NodeRole::network);
  const NodeId c = topology.add_node("c", NodeRole::network);
  const NodeId d = topology.add_node("d", NodeRole::target);
  const EdgeId ab = topology.add_edge(a, b, "ab", 1_GBps);
  const EdgeId bc = topology.add_edge(b, c, "bc", 1_GBps);
  topology.add_edge(c, d, "cd", 1_GBps);
  const EdgeId bd = topology.add_edge(b, d, "bd", 1_MBps);
  CHECK(topology.route(a, d) == std::vector<EdgeId>{ab, bd});
  CHECK(topology.route(a, c) == std::vector<EdgeId>{ab, bc});
}

TEST_CASE("of routes with equal hops the one whose edge was added first is taken") {
  Topology topology;
  const NodeId from = topology.add_node("from", NodeRole::host);
  const NodeId left = topology.add_node("left", NodeRole::network);
  const NodeId right = topology.add_node("right", NodeRole::network);
  const NodeId to = topology.add_node("to", NodeRole::target);
  const EdgeId into_left = topology.add_edge(left, to, "left.to", 1_GBps);
  const EdgeId into_right = topology.add_edge(right, to, "right.to", 1_GBps);
  const EdgeId via_right = topology.add_edge(from, right, "from.right", 1_GBps);
  const EdgeId via_left = topology.add_edge(from, left, "from.left", 1_GBps);
  CHECK(topology.route(from, to) == std::vector<EdgeId>{via_right, into_right});
  CHECK(topology.route(from, left) == std::vector<EdgeId>{via_left});

  // Parallel edges: the first one again.
  topology.add_edge(left, to, "left.to.second", 9_GBps);
  CHECK(topology.route(left, to) == std::vector<EdgeId>{into_left});
}

TEST_CASE("there is no route to a node itself, nor against the direction of the edges") {
  Topology topology;
  const NodeId a = topology.add_node("a", NodeRole::host);
  const NodeId b = topology.add_node("b", NodeRole::target);
  topology.add_edge(a, b, "ab", 1_GBps);
  topology.add_edge(a, a, "loop", 1_GBps);
  CHECK(topology.route(a, a).empty());
  CHECK(topology.route(b, a).empty());
}

// Ends that are asked for again have their routes looked up, in either direction.
TEST_CASE(
    "a route is the same however often its ends are asked for, and whatever was asked before") {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Topology topology;
    constexpr std::uint32_t kNodes = 30;
    const auto any = [&] { return NodeId{static_cast<std::uint32_t>(random() % kNodes)}; };
    for (std::uint32_t n = 0; n < kNodes; ++n)
      topology.add_node("n" + std::to_string(n), NodeRole::network);
    for (int e = 0; e < 80; ++e) topology.add_edge(any(), any(), "e" + std::to_string(e), 1_GBps);
    std::vector<std::vector<EdgeId>> first;
    const auto each = [&](auto&& see) {
      for (std::uint32_t from = 0; from < kNodes; ++from)
        for (std::uint32_t to = 0; to < kNodes; ++to) see(NodeId{from}, NodeId{to});
    };
    each([&](NodeId from, NodeId to) {
      topology.add_node(std::to_string(first.size()), NodeRole::network);  // nothing is known then
      first.push_back(topology.route(from, to));
    });
    // By the ends' trees: of ends that routes go to, as every second one is, or come from.
    for (std::uint32_t to = 0; to < kNodes; to += 2)
      for (std::uint32_t from = 0; from < kNodes; ++from) (void)topology.route({from}, {to});
    std::size_t at = 0;
    each([&](NodeId from, NodeId to) { CHECK(topology.route(from, to) == first[at++]); });
  }
}

}  // namespace topology_test
