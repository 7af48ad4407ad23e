#include "engine/graph/topology.hpp"

#include <cassert>
#include <utility>

#include "engine/graph/topology_impl.hpp"

namespace stallcast::graph {

Topology::Topology() : impl_(std::make_unique<Impl>()) {}
Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;

NodeId Topology::add_node(std::string name, NodeRole role) {
  const NodeId id{static_cast<std::uint32_t>(boost::num_vertices(impl_->graph))};
  [[maybe_unused]] const auto [named, is_new] = impl_->by_name.emplace(std::move(name), id);
  assert(is_new && "node names are unique");
  impl_->forget_trees();
  boost::add_vertex(Impl::Node{&named->first, role}, impl_->graph);
  return id;
}

EdgeId Topology::add_edge(NodeId from, NodeId to, std::string name, Rate capacity) {
  assert(from.index < node_count() && to.index < node_count());
  assert(capacity >= Rate{} && "neither negative nor NaN");
  const EdgeId id{static_cast<std::uint32_t>(impl_->edges.size())};
  impl_->forget_trees();
  impl_->edges.push_back({std::move(name), capacity, from, to});
  boost::add_edge(from.index, to.index, Impl::Edge{id.index}, impl_->graph);
  return id;
}

std::size_t Topology::node_count() const { return boost::num_vertices(impl_->graph); }
std::size_t Topology::edge_count() const { return impl_->edges.size(); }

const std::string& Topology::name(NodeId node) const {
  assert(node.index < node_count());
  return *impl_->graph[node.index].name;
}

NodeRole Topology::role(NodeId node) const {
  assert(node.index < node_count());
  return impl_->graph[node.index].role;
}

const std::string& Topology::name(EdgeId edge) const { return impl_->edges.at(edge.index).name; }
Rate Topology::capacity(EdgeId edge) const { return impl_->edges.at(edge.index).capacity; }

NodeId Topology::node(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  assert(found != impl_->by_name.end());
  return found->second;
}

}  // namespace stallcast::graph
