#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <cassert>
#include <vector>

#include "engine/graph/topology_impl.hpp"

namespace stallcast::graph {

// Breadth first, out edges in the order they were added, so the first discovery of a node is by the
// path of fewest hops that is smallest when compared edge by edge.
std::vector<EdgeId> Topology::route(NodeId from, NodeId to) const {
  assert(from.index < node_count() && to.index < node_count());
  const Impl::Graph& graph = impl_->graph;
  std::vector<EdgeId> reached_by(node_count());

  struct Recorder : boost::default_bfs_visitor {
    explicit Recorder(std::vector<EdgeId>& edges) : reached_by(edges) {}
    void tree_edge(const Impl::Graph::edge_descriptor& edge, const Impl::Graph& g) {
      reached_by[boost::target(edge, g)] = EdgeId{g[edge].index};
    }
    std::vector<EdgeId>& reached_by;
  };
  boost::breadth_first_search(graph, boost::vertex(from.index, graph),
                              boost::visitor(Recorder(reached_by)));

  std::vector<EdgeId> path;
  for (NodeId at = to; at != from; at = impl_->edges[path.back().index].from) {
    if (reached_by[at.index] == EdgeId{}) return {};
    path.push_back(reached_by[at.index]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace stallcast::graph
