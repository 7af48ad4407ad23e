#include "models/network/fabric.hpp"

/// Equations and sources: docs/models/network.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::array<Field<FabricParams>, 3> kFabric{
    field("rtt", &FabricParams::round_trip, "10 us",
          "round trip of a small message between host and storage server",
          assumed(kNonNegative, "IB 2-5 us, RoCE 5-10 us, plus the software on both ends")),
    field("bisection", &FabricParams::bisection, kOptional,
          "most that all hosts and all storage exchange, each direction; absent: non-blocking",
          kPositive),
    field("converged", &FabricParams::converged, "false",
          "communication between GPUs uses the same NICs as storage traffic, not compute_nic")};
constexpr auto kFabricInfos = infos(kFabric);

}  // namespace

FabricParams fabric_params(const Component& component) { return bind(kFabric, component); }
std::span<const FieldInfo> fabric_fields() { return kFabricInfos; }

FabricPorts add_fabric(graph::Topology& topology, const FabricParams& fabric) {
  using graph::NodeRole;
  const Rate bisection = fabric.bisection.value_or(Rate::infinity());
  const FabricPorts ports{
      .from_storage = topology.add_node("fabric.from-storage", NodeRole::network),
      .to_hosts = topology.add_node("fabric.to-hosts", NodeRole::network),
      .from_hosts = topology.add_node("fabric.from-hosts", NodeRole::network),
      .to_storage = topology.add_node("fabric.to-storage", NodeRole::network)};
  topology.add_edge(ports.from_storage, ports.to_hosts, "fabric.read", bisection);
  topology.add_edge(ports.from_hosts, ports.to_storage, "fabric.write", bisection);
  return ports;
}

}  // namespace stallcast::models
