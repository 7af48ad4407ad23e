#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/units.hpp"

/// The physical system as a directed graph of capacities: what routes, bounds and the simulator's
/// links are made from.
namespace stallcast::graph {

struct NodeId {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const NodeId&) const = default;
};
struct EdgeId {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const EdgeId&) const = default;
};

enum class NodeRole { gpu, host, network, server, target, metadata };

/// Directed graph; nodes and edges are never removed. Names are unique and hierarchical
/// ("storage.scratch.oss"); an edge's name is the resource users see ("storage.scratch.oss.nic").
class Topology {
 public:
  Topology();
  ~Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;

  NodeId add_node(std::string name, NodeRole role);
  /// A one-way edge. `capacity` may be infinite (never a bottleneck, no simulated link).
  EdgeId add_edge(NodeId from, NodeId to, std::string name, Rate capacity);

  [[nodiscard]] std::size_t node_count() const;
  [[nodiscard]] std::size_t edge_count() const;
  [[nodiscard]] const std::string& name(NodeId node) const;
  [[nodiscard]] NodeRole role(NodeId node) const;
  [[nodiscard]] const std::string& name(EdgeId edge) const;
  [[nodiscard]] Rate capacity(EdgeId edge) const;
  /// REQUIRES: the name exists.
  [[nodiscard]] NodeId node(std::string_view name) const;

  /// Edges of a path with the fewest hops, in order; ties go to the edge added first. Empty when
  /// `to` cannot be reached or equals `from`. Ends that are asked for again cost one search for all
  /// their routes.
  [[nodiscard]] std::vector<EdgeId> route(NodeId from, NodeId to) const;

  /// What a cut is worth and which edges it consists of.
  struct Cut {
    Rate value;                 ///< infinity when nothing limits
    std::vector<EdgeId> edges;  ///< saturated edges of the minimum cut nearest to the sources
  };
  /// Maximum flow from all of `sources` together to all of `sinks` together, exact to 1e-9. A node
  /// that is both makes it infinite.
  [[nodiscard]] Cut max_flow(std::span<const NodeId> sources, std::span<const NodeId> sinks) const;

 private:
  struct Impl;  // Boost.Graph stays inside
  std::unique_ptr<Impl> impl_;
};

/// One class of demands for `max_min_shares`.
struct Demand {
  std::vector<EdgeId> path;
  double weight = 1.0;          ///< members of the class
  Rate cap = Rate::infinity();  ///< per member
};

/// Weighted max-min fair rates, per member of each demand, by progressive filling.
/// Infinite for a demand that neither an edge nor its cap limits. A path may cross an edge more
/// than once and then uses it as often. REQUIRES: weights > 0. Source: Bertsekas and Gallager, Data
/// Networks, 2nd ed., section 6.5.2.
[[nodiscard]] std::vector<Rate> max_min_shares(const Topology& topology,
                                               std::span<const Demand> demands);

}  // namespace stallcast::graph
