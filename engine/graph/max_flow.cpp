#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "engine/graph/topology_impl.hpp"

// Flows are computed on 64-bit integers: with doubles an augmenting search can leave residues of
// 1e-17 that look like capacity, and whether a cut is saturated becomes a guess.
namespace stallcast::graph {
namespace {

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

/// Maximum flow by blocking flows along shortest paths (Dinitz 1970).
class Solver {
 public:
  Solver(const Problem& p, Scale scale)
      : out_(p.out.size() + 2),
        source_(static_cast<std::uint32_t>(p.out.size())),
        sink_(source_ + 1),
        count_(static_cast<std::int64_t>(p.arcs.size())) {
    for (const Arc& arc : p.arcs) connect(arc.from, arc.to, scale(arc.capacity));
    for (std::uint32_t node = 0; node < source_; ++node) {
      if (p.is_source[node]) connect(source_, node, scale.limit);
      if (p.is_sink[node]) connect(node, sink_, scale.limit);
    }
    while (measure()) block();
  }

  /// Nodes still reachable from the sources: the source side of the minimum cut nearest to them.
  /// What is left of 2^-40 of the flow, over all arcs together, counts as nothing left, so that
  /// cuts equal but for the rounding of their sums are equal.
  [[nodiscard]] std::vector<char> source_side() const {
    std::vector<char> seen(out_.size(), 0);
    seen[source_] = 1;
    return closure(std::move(seen),
                   [&, nothing = (flow_ >> 40) / count_](std::uint32_t node, const auto& add) {
                     for (const std::uint32_t arc : out_[node])
                       if (arcs_[arc].left > nothing) add(arcs_[arc].to);
                   });
  }

 private:
  /// One way along an edge; the way back has the number beside its own.
  struct Way {
    std::uint32_t to;
    std::int64_t left;  ///< of its capacity
  };

  void connect(std::uint32_t from, std::uint32_t to, std::int64_t capacity) {
    out_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
    arcs_.push_back({to, capacity});
    out_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
    arcs_.push_back({from, 0});
  }

  /// Hops from the source along what has capacity left; whether they lead to the sink.
  bool measure() {
    hops_.assign(out_.size(), -1);
    hops_[source_] = 0;
    std::vector<std::uint32_t> line{source_};
    for (std::size_t i = 0; i < line.size(); ++i)
      for (const std::uint32_t arc : out_[line[i]]) {
        const auto [to, left] = arcs_[arc];
        if (left <= 0 || hops_[to] >= 0) continue;
        hops_[to] = hops_[line[i]] + 1;
        line.push_back(to);
      }
    return hops_[sink_] >= 0;
  }

  /// Fills paths of so many hops until each has a full arc.
  void block() {
    std::vector<std::size_t> tried(out_.size(), 0);  // of what leaves each node
    std::vector<std::uint32_t> path;
    std::uint32_t at = source_;
    while (true) {
      if (at == sink_) {
        path.resize(fill(path));
        at = path.empty() ? source_ : arcs_[path.back()].to;
      }
      std::size_t& next = tried[at];
      while (next < out_[at].size() && !is_ahead(at, arcs_[out_[at][next]])) ++next;
      if (next < out_[at].size()) {
        path.push_back(out_[at][next]);
        at = arcs_[path.back()].to;
      } else if (path.empty()) {
        return;
      } else {
        at = arcs_[path.back() ^ 1U].to;
        path.pop_back();
        ++tried[at];
      }
    }
  }

  [[nodiscard]] bool is_ahead(std::uint32_t at, const Way& way) const {
    return way.left > 0 && hops_[way.to] == hops_[at] + 1;
  }

  /// Sends as much as a path takes; how many of its arcs lie before the first that is full.
  std::size_t fill(const std::vector<std::uint32_t>& path) {
    std::int64_t most = arcs_[path.front()].left;
    for (const std::uint32_t arc : path) most = std::min(most, arcs_[arc].left);
    for (const std::uint32_t arc : path) {
      arcs_[arc].left -= most;
      arcs_[arc ^ 1U].left += most;
    }
    flow_ += most;
    const auto full = std::find_if(path.begin(), path.end(),
                                   [&](std::uint32_t arc) { return arcs_[arc].left == 0; });
    return static_cast<std::size_t>(full - path.begin());
  }

  std::vector<Way> arcs_;
  std::vector<std::vector<std::uint32_t>> out_;  ///< of `arcs_`, by node
  std::uint32_t source_, sink_;
  std::int64_t count_;  ///< arcs of the problem
  std::vector<std::int64_t> hops_;
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
    for (const std::uint32_t e : impl.nodes[node].out) add(impl.edges[e].to.index);
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
