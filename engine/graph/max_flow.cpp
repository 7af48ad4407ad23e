#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "engine/graph/topology_impl.hpp"

// Flows are computed on 64-bit integers: with doubles the augmenting search of Boost can leave
// residues of 1e-17 that look like capacity, and whether a cut is saturated becomes a guess.
namespace stallcast::graph {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Residual = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<boost::vertex_color_t, boost::default_color_type,
                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor,
                                    boost::property<boost::vertex_distance_t, long>>>,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// The edges as this file needs them, independent of how Topology keeps them: those that lie on a
/// way from a source to a sink.
struct Arc {
  std::uint32_t from;
  std::uint32_t to;
  double capacity;  ///< B/s, may be infinite
};

struct Problem {
  std::vector<Arc> arcs;
  std::vector<std::vector<std::uint32_t>> out;  ///< arcs that leave a node
  std::vector<char> is_source;
  std::vector<char> is_sink;
};

/// Capacity of the widest path to any sink: no cut is smaller than this, and all arcs that are not
/// wider than it form a cut. Infinite when an unlimited path exists, 0 when none exists.
double widest_path(const Problem& p) {
  std::vector<double> width(p.out.size(), 0.0);
  std::priority_queue<std::pair<double, std::uint32_t>> open;
  for (std::uint32_t node = 0; node < p.out.size(); ++node) {
    if (!p.is_source[node]) continue;
    width[node] = INFINITY;
    open.emplace(width[node], node);
  }
  while (!open.empty()) {
    const auto [w, node] = open.top();
    open.pop();
    if (w < width[node]) continue;
    if (p.is_sink[node]) return w;
    for (const std::uint32_t arc : p.out[node]) {
      const double next = std::min(w, p.arcs[arc].capacity);
      if (next <= width[p.arcs[arc].to]) continue;
      width[p.arcs[arc].to] = next;
      open.emplace(next, p.arcs[arc].to);
    }
  }
  return 0.0;
}

/// `seen` and what follows from it: `visit(node, add)` calls `add` with each neighbour of a node.
template <class Visit>
std::vector<char> closure(std::vector<char> seen, const Visit& visit) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t node = 0; node < seen.size(); ++node)
    if (seen[node]) open.push_back(node);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    visit(node, [&](std::uint32_t next) {
      if (!std::exchange(seen[next], char{1})) open.push_back(next);
    });
  }
  return seen;
}

/// A power of two by which capacities become integers, and the largest integer capacity. A factor
/// of two loses no bit of a double that stays below 2^60, so equal sums stay equal. With U the cut
/// of all arcs not wider than W (W <= max flow <= U), wider arcs are cut off at 2U, where they
/// cannot limit. Rounding moves a cut of m arcs by at most m 2^-60 U: 1e-9 of it while m U / W
/// stays under 1e9.
struct Scale {
  double factor;
  std::int64_t limit;

  [[nodiscard]] std::int64_t operator()(double capacity) const {
    const double scaled = capacity * factor;
    return scaled >= static_cast<double>(limit) ? limit : std::llround(scaled);
  }
};

Scale choose_scale(const Problem& p, double widest) {
  double upper = 0.0;
  for (const Arc& arc : p.arcs)
    if (arc.capacity <= widest) upper += arc.capacity;
  int exponent = 0;
  std::frexp(2.0 * upper, &exponent);  // 2 upper < 2^exponent
  const double factor = std::ldexp(1.0, 60 - exponent);
  return {factor, std::llround(2.0 * upper * factor)};
}

class Solver {
 public:
  Solver(const Problem& p, Scale scale) : problem_(p), graph_(p.out.size() + 2) {
    const auto source = static_cast<std::uint32_t>(p.out.size());
    const std::uint32_t sink = source + 1;
    for (const Arc& arc : p.arcs) connect(arc.from, arc.to, scale(arc.capacity));
    for (std::uint32_t node = 0; node < p.out.size(); ++node) {
      if (p.is_source[node]) connect(source, node, scale.limit);
      if (p.is_sink[node]) connect(node, sink, scale.limit);
    }
    flow_ = boost::boykov_kolmogorov_max_flow(graph_, source, sink);
  }

  /// Nodes still reachable from the sources: the source side of the minimum cut nearest to them.
  /// What is left of 2^-40 of the flow, over all arcs together, counts as nothing left, so that
  /// cuts equal but for the rounding of their sums are equal.
  [[nodiscard]] std::vector<char> source_side() const {
    const auto count = static_cast<std::int64_t>(problem_.arcs.size());
    const std::int64_t nothing = (flow_ >> 40) / count;
    std::vector<char> seen(problem_.out.size() + 2, 0);
    std::vector<Traits::vertex_descriptor> open{problem_.out.size()};
    seen[open.back()] = 1;
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      for (auto [edge, end] = boost::out_edges(node, graph_); edge != end; ++edge) {
        const auto next = boost::target(*edge, graph_);
        if (boost::get(boost::edge_residual_capacity, graph_, *edge) <= nothing) continue;
        if (!std::exchange(seen[next], char{1})) open.push_back(next);
      }
    }
    return seen;
  }

 private:
  void connect(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
    const auto forward = boost::add_edge(from, to, graph_).first;
    const auto backward = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forward, capacity);
    boost::put(boost::edge_capacity, graph_, backward, 0);
    boost::put(boost::edge_reverse, graph_, forward, backward);
    boost::put(boost::edge_reverse, graph_, backward, forward);
  }

  const Problem& problem_;
  Residual graph_;
  std::int64_t flow_ = 0;
};

/// Nodes reachable from the sources along arcs that have any capacity, for problems whose maximum
/// flow is zero.
std::vector<char> zero_flow_source_side(const Problem& p) {
  return closure(p.is_source, [&](std::uint32_t node, const auto& add) {
    for (const std::uint32_t arc : p.out[node])
      if (p.arcs[arc].capacity > 0.0) add(p.arcs[arc].to);
  });
}

}  // namespace

Topology::Cut Topology::max_flow(std::span<const NodeId> sources,
                                 std::span<const NodeId> sinks) const {
  std::vector<char> is_source(node_count(), 0), is_sink(node_count(), 0);
  for (const NodeId node : sources) is_source.at(node.index) = 1;
  for (const NodeId node : sinks) is_sink.at(node.index) = 1;
  // Of a plant with many kinds of hosts and stores few lie between the two.
  const Impl& impl = *impl_;
  impl_->list_edges_in();
  const std::vector<char> reached = closure(is_source, [&](std::uint32_t node, const auto& add) {
    for (auto [edge, end] = boost::out_edges(node, impl.graph); edge != end; ++edge)
      add(static_cast<std::uint32_t>(boost::target(*edge, impl.graph)));
  });
  const std::vector<char> useful = closure(is_sink, [&](std::uint32_t node, const auto& add) {
    for (std::uint32_t e = impl.trees.first_in[node]; e < impl.trees.first_in[node + 1]; ++e)
      add(impl.edges[impl.trees.in[e]].from.index);
  });

  Problem p;
  std::vector<std::uint32_t> number(node_count());  // of a node between, in the problem
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    if (!reached[node] || !useful[node]) continue;
    number[node] = static_cast<std::uint32_t>(p.is_source.size());
    p.is_source.push_back(is_source[node]);
    p.is_sink.push_back(is_sink[node]);
  }
  p.out.resize(p.is_source.size());
  std::vector<EdgeId> edge_of;  // by arc
  for (std::uint32_t index = 0; index < impl.edges.size(); ++index) {
    const Impl::EdgeData& edge = impl.edges[index];
    if (!reached[edge.from.index] || !useful[edge.to.index]) continue;
    const std::uint32_t from = number[edge.from.index];
    p.out[from].push_back(static_cast<std::uint32_t>(p.arcs.size()));
    p.arcs.push_back({from, number[edge.to.index], edge.capacity.in(unit::Bps)});
    edge_of.push_back(EdgeId{index});
  }

  const double widest = widest_path(p);
  if (std::isinf(widest)) return {Rate::infinity(), {}};
  const std::vector<char> near =
      widest > 0.0 ? Solver(p, choose_scale(p, widest)).source_side() : zero_flow_source_side(p);
  Cut cut;
  for (std::size_t arc = 0; arc < p.arcs.size(); ++arc) {
    if (!near[p.arcs[arc].from] || near[p.arcs[arc].to]) continue;
    cut.value += capacity(edge_of[arc]);
    cut.edges.push_back(edge_of[arc]);
  }
  return cut;
}

}  // namespace stallcast::graph
