#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <cassert>
#include <limits>
#include <vector>

#include "engine/graph/topology_impl.hpp"

namespace stallcast::graph {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
// An end that is asked for so often without a tree gets one.
constexpr std::size_t kOften = 2;

}  // namespace

// The edge by which each node is reached from `from`. Breadth first, out edges in the order they
// were added, so the first discovery of a node is by the path of fewest hops that is smallest when
// compared edge by edge.
std::vector<EdgeId> Topology::Impl::tree_from(NodeId from) const {
  std::vector<EdgeId> reached_by(boost::num_vertices(graph));
  struct Recorder : boost::default_bfs_visitor {
    explicit Recorder(std::vector<EdgeId>& edges) : reached_by(edges) {}
    void tree_edge(const Graph::edge_descriptor& edge, const Graph& g) {
      reached_by[boost::target(edge, g)] = EdgeId{g[edge].index};
    }
    std::vector<EdgeId>& reached_by;
  };
  boost::breadth_first_search(graph, boost::vertex(from.index, graph),
                              boost::visitor(Recorder(reached_by)));
  return reached_by;
}

void Topology::Impl::list_edges_in() {
  const std::size_t nodes = boost::num_vertices(graph);
  std::vector<std::uint32_t>& first_in = trees.first_in;
  if (!first_in.empty()) return;
  first_in.assign(nodes + 1, 0);
  for (const EdgeData& edge : edges) ++first_in[edge.to.index + 1];
  for (std::size_t n = 0; n < nodes; ++n) first_in[n + 1] += first_in[n];
  trees.in.resize(edges.size());
  std::vector<std::uint32_t> next = first_in;
  for (std::uint32_t e = 0; e < edges.size(); ++e) trees.in[next[edges[e].to.index]++] = e;
}

// Hops from each node to `to`; kNever: there is no way.
std::vector<std::uint32_t> Topology::Impl::hops_to(NodeId to) {
  list_edges_in();
  const std::size_t nodes = boost::num_vertices(graph);
  const std::vector<std::uint32_t>&first_in = trees.first_in, &in = trees.in;
  std::vector<std::uint32_t> hops(nodes, kNever), line{to.index};
  hops[to.index] = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    for (std::uint32_t e = first_in[line[i]]; e < first_in[line[i] + 1]; ++e) {
      const std::uint32_t before = edges[in[e]].from.index;
      if (hops[before] != kNever) continue;
      hops[before] = hops[line[i]] + 1;
      line.push_back(before);
    }
  return hops;
}

std::vector<EdgeId> Topology::route(NodeId from, NodeId to) const {
  assert(from.index < node_count() && to.index < node_count());
  Impl::Trees& trees = impl_->trees;
  std::vector<EdgeId> path;
  const auto back = [&](const std::vector<EdgeId>& reached_by) {
    for (NodeId at = to; at != from; at = impl_->edges[path.back().index].from) {
      if (reached_by[at.index] == EdgeId{}) return path.clear();
      path.push_back(reached_by[at.index]);
    }
    std::reverse(path.begin(), path.end());
  };
  // The first edge of those that bring it nearer, at every node: the same path.
  const auto ahead = [&](const std::vector<std::uint32_t>& hops) {
    if (hops[from.index] == kNever) return;
    path.reserve(hops[from.index]);
    for (std::uint32_t at = from.index; at != to.index;
         at = impl_->edges[path.back().index].to.index) {
      const auto [first, last] = boost::out_edges(at, impl_->graph);
      const auto nearer = std::find_if(first, last, [&](const auto& edge) {
        return hops[boost::target(edge, impl_->graph)] == hops[at] - 1;
      });
      path.push_back(EdgeId{impl_->graph[*nearer].index});
    }
  };
  if (const auto tree = trees.from.find(from.index); tree != trees.from.end()) {
    back(tree->second);
  } else if (const auto hops = trees.to.find(to.index); hops != trees.to.end()) {
    ahead(hops->second);
  } else if (++trees.asked_to[to.index] >= kOften) {
    ahead(trees.to[to.index] = impl_->hops_to(to));
  } else if (++trees.asked_from[from.index] >= kOften) {
    back(trees.from[from.index] = impl_->tree_from(from));
  } else {
    back(impl_->tree_from(from));
  }
  return path;
}

}  // namespace stallcast::graph
