#pragma once

#include <optional>
#include <span>

#include "engine/base/fields.hpp"
#include "engine/graph/topology.hpp"
#include "stallcast/design.hpp"

namespace stallcast::models {

/// The network between hosts and storage. docs/models/network.md.
struct FabricParams {
  Seconds round_trip;
  std::optional<Rate> bisection;
  bool converged = false;
};

[[nodiscard]] FabricParams fabric_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> fabric_fields();

/// Where hosts and storage systems meet the network; reads and writes go separate ways.
struct FabricPorts {
  graph::NodeId from_storage, to_hosts;  ///< reads
  graph::NodeId from_hosts, to_storage;  ///< writes
};

/// Adds the fabric's own nodes and edges. docs/models/network.md.
[[nodiscard]] FabricPorts add_fabric(graph::Topology& topology, const FabricParams& fabric);

}  // namespace stallcast::models
