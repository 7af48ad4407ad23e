#include "models/host_path.hpp"

/// Equations and sources: docs/models/host.md.
namespace stallcast::models {
namespace {

// Share of the data sheet's DRAM bandwidth that mixed traffic reaches.  [docs/models/host.md]
constexpr double kDramEfficiency = 0.75;
// Times a byte crosses DRAM on its way from the NIC to the GPU: written and read once with O_DIRECT
// into pinned memory; through the page cache also copied (2), collated and pinned (1 more).
// [host.md, table 1]
constexpr double kCrossingsDirect = 2.0;
constexpr double kCrossingsBuffered = 5.0;

}  // namespace

HostPorts add_host(graph::Topology& topology, const std::string& name, const HostShape& shape,
                   const FabricPorts& fabric) {
  using enum graph::NodeRole;
  const HostParams& p = shape.params;
  const Rate dram = p.memory_bandwidth * (shape.servers * kDramEfficiency);
  const double crossings = shape.direct ? kCrossingsDirect : kCrossingsBuffered;
  const auto port_in = topology.add_node(name + ".port.in", network);
  const auto port_out = topology.add_node(name + ".port.out", network);
  const auto memory_in = topology.add_node(name + ".memory.in", graph::NodeRole::host);
  const auto memory_out = topology.add_node(name + ".memory.out", graph::NodeRole::host);
  topology.add_edge(fabric.to_hosts, port_in, name + ".nic.read", p.nic() * shape.servers);
  topology.add_edge(port_out, fabric.from_hosts, name + ".nic.write", p.nic() * shape.servers);
  topology.add_edge(port_in, memory_in, name + ".memory.read", dram / crossings);
  topology.add_edge(memory_out, port_out, name + ".memory.write", dram / crossings);
  for (const HostShape::Mount& mount : shape.mounts) {
    const std::string client = name + ".client." + mount.storage;
    const auto in =
        topology.add_node(name + ".mount." + mount.storage + ".in", graph::NodeRole::host);
    const auto out =
        topology.add_node(name + ".mount." + mount.storage + ".out", graph::NodeRole::host);
    topology.add_edge(memory_in, in, client + ".read", mount.limits.read * shape.servers);
    topology.add_edge(out, memory_out, client + ".write", mount.limits.write * shape.servers);
  }
  const auto gpus = topology.add_node(name + ".gpus", graph::NodeRole::gpu);
  const auto nvme_in = topology.add_node(name + ".nvme.in", target);
  const auto nvme_out = topology.add_node(name + ".nvme.out", target);
  topology.add_edge(gpus, memory_out, name + ".memory.snapshot", dram);
  if (p.nvme_write)
    topology.add_edge(memory_out, nvme_in, name + ".nvme.write", *p.nvme_write * shape.servers);
  if (p.nvme_read)
    topology.add_edge(nvme_out, memory_in, name + ".nvme.read", *p.nvme_read * shape.servers);
  return {port_in, port_out};
}

}  // namespace stallcast::models
