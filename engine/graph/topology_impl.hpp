#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/name_map.hpp"
#include "engine/graph/topology.hpp"

namespace stallcast::graph {

/// Private to this library: nodes are vertex descriptors, and an edge carries its own index, so
/// both directions of the mapping cost nothing.
struct Topology::Impl {
  struct Node {
    const std::string* name;  ///< in `by_name`
    NodeRole role;
  };
  struct Edge {
    std::uint32_t index;
  };
  // vecS keeps the out edges of a node in the order they were added: `route` relies on it.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Node, Edge>;

  struct EdgeData {
    std::string name;
    Rate capacity;
    NodeId from;
    NodeId to;
  };

  /// Of the graph as it is: what routes with one end in common need. Hosts are many, what they read
  /// is one.
  struct Trees {
    std::map<std::uint32_t, std::size_t> asked_from, asked_to;  ///< times, without a tree
    std::map<std::uint32_t, std::vector<EdgeId>> from;          ///< edge that reaches each node
    std::map<std::uint32_t, std::vector<std::uint32_t>> to;     ///< hops from each node
    std::vector<std::uint32_t> first_in, in;                    ///< edges by the node they lead to
  };
  /// A node or an edge is added.
  void forget_trees() {
    if (!trees.asked_to.empty()) trees = {};  // counted before anything else is kept
  }
  void list_edges_in();  ///< makes `trees.in`, unless it is there
  [[nodiscard]] std::vector<EdgeId> tree_from(NodeId from) const;
  [[nodiscard]] std::vector<std::uint32_t> hops_to(NodeId to);

  Graph graph;
  std::vector<EdgeData> edges;  ///< by EdgeId
  base::NameMap<NodeId> by_name;
  Trees trees;
};

}  // namespace stallcast::graph
