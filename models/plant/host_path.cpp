#include "models/plant/host_path.hpp"

#include <algorithm>

#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"

/// Equations and sources: docs/models/host.md.
namespace stallcast::models {
namespace {

// Times a byte crosses DRAM on its way from the NIC to the GPU: written and read once with O_DIRECT
// into pinned memory; through the page cache also copied (2), collated and pinned (1 more).
// [host.md, table 1]
constexpr double kCrossingsDirect = 2.0;
constexpr double kCrossingsBuffered = 5.0;

constexpr const char* kNoPeers = "its hosts have no path between peers on PCIe";

}  // namespace

bool asks_for_gds(const JobDesign& job) {
  return job.loader && job.dataset && loader_params(*job.loader).copy == "gds";
}

std::string gds_obstacle(const HostParams& host, const JobDesign& job) {
  if (host.p2p == "none") return kNoPeers;
  const DatasetParams dataset = dataset_params(*job.dataset);
  const SampleAccess access = sample_access(job);
  if (dataset.decoding(access.columns) > Seconds{} || access.unpack.finite())
    return "its samples are decoded on the CPU";
  return {};
}

bool saves_ask_for_gds(const JobDesign& job) {
  return job.checkpoint && checkpoint_params(*job.checkpoint).gds;
}

std::string save_gds_obstacle(const HostParams& host, const Component& save) {
  if (host.p2p == "none") return kNoPeers;
  const CheckpointParams p = checkpoint_params(save);
  if (!checkpoint_row(save.kind).style.blocking || p.snapshot == "none")
    return "it is written from host memory";
  const CpuPasses cpu = save_passes(p, Bytes::from(1.0, unit::B));
  if (cpu.total > Seconds{})
    return "the state passes through the CPU (" + std::string(cpu.worst) + ")" +
           (cpu.worst == "serialize" ? ": \"serializer\": \"none\" has no such pass" : "");
  return {};
}

namespace {

// After the run, or after a failure: `own` is then no more than the reads of `once`, and from tiers
// inside the hosts all that `all` reads.    [docs/models/failures.md, eq. 15]
bool passes_saves_on(const JobDesign& job) {
  const CheckpointParams p = checkpoint_params(*job.checkpoint);
  if (!p.broadcasts_over_nvlink()) return false;
  if (p.restore == "once") return true;
  const bool restarts = job.recovery.has_value();
  if (p.each_its_own()) return false;
  return p.tiers.empty() ? restarts && p.restore == "own" : restarts || p.restore == "all";
}

}  // namespace

bool uses_host_drives(const JobDesign& job) {
  if (job.checkpoint) {
    const CheckpointParams p = checkpoint_params(*job.checkpoint);
    if (std::find(p.tiers.begin(), p.tiers.end(), kLocalNvme) != p.tiers.end()) return true;
  }
  if (!job.dataset) return false;
  const DatasetParams dataset = dataset_params(*job.dataset);
  return dataset.cached() && dataset.cache_medium == "nvme";
}

double batch_peers(const RankLayout& layout, const JobDesign& job) {
  if (!job.loader || loader_params(*job.loader).copy == "none") return 0.0;
  const double tensor = static_cast<double>(job_params(job.job).tensor);
  return std::max(1.0, std::min(tensor, layout.spread().most())) - 1.0;
}

bool passes_over_nvlink(const HostParams& host, const RankLayout& layout, const JobDesign& job) {
  if (batch_peers(layout, job) > 0.0) return true;
  if ((asks_for_gds(job) || saves_ask_for_gds(job)) && host.p2p == "nvlink") return true;
  return job.checkpoint && passes_saves_on(job);
}

HostPorts add_host(graph::Topology& topology, const std::string& name, const HostShape& shape,
                   const FabricPorts& fabric) {
  using enum graph::NodeRole;
  const HostParams& p = shape.params;
  const Rate dram = p.memory_bandwidth * (shape.servers * kDramShare);
  const double crossings = shape.direct ? kCrossingsDirect : kCrossingsBuffered;
  const auto port_in = topology.add_node(name + ".port.in", network);
  const auto port_out = topology.add_node(name + ".port.out", network);
  const auto memory_in = topology.add_node(name + ".memory.in", graph::NodeRole::host);
  const auto memory_out = topology.add_node(name + ".memory.out", graph::NodeRole::host);
  topology.add_edge(fabric.to_hosts, port_in, name + ".nic.read", p.nic() * shape.servers);
  topology.add_edge(port_out, fabric.from_hosts, name + ".nic.write", p.nic() * shape.servers);
  // device - switch - (uplink) - root - (link between sockets) - DRAM    [host.md, eq. 1]
  const Rate none = Rate::infinity();
  const Rate uplink =
      p.uplink ? *p.uplink * (static_cast<double>(p.switches) * shape.servers) : none;
  const double remote = p.remote.in(unit::ratio);
  const Rate sockets =
      p.socket_link && remote > 0.0 ? *p.socket_link * (shape.servers / remote) : none;
  const auto root_in = topology.add_node(name + ".root.in", graph::NodeRole::host);
  const auto root_out = topology.add_node(name + ".root.out", graph::NodeRole::host);
  const auto socket_in = topology.add_node(name + ".socket.in", graph::NodeRole::host);
  const auto socket_out = topology.add_node(name + ".socket.out", graph::NodeRole::host);
  topology.add_edge(port_in, root_in, name + ".pcie.up", uplink);
  topology.add_edge(root_in, socket_in, name + ".numa.read", sockets);
  topology.add_edge(socket_in, memory_in, name + ".memory.read", dram / crossings);
  topology.add_edge(memory_out, socket_out, name + ".memory.write", dram / crossings);
  topology.add_edge(socket_out, root_out, name + ".numa.write", sockets);
  topology.add_edge(root_out, port_out, name + ".pcie.down", uplink);
  for (const HostShape::Mount& mount : shape.mounts) {
    const std::string client = name + ".client." + mount.storage;
    const auto in =
        topology.add_node(name + ".mount." + mount.storage + ".in", graph::NodeRole::host);
    const auto out =
        topology.add_node(name + ".mount." + mount.storage + ".out", graph::NodeRole::host);
    topology.add_edge(memory_in, in, client + ".read", mount.limits.read * shape.servers);
    topology.add_edge(out, memory_out, client + ".write", mount.limits.write * shape.servers);
  }
  // From the GPUs that have data to those that get it from them.    [host.md, eq. 5]
  const double gpu_count = static_cast<double>(std::max<std::int64_t>(1, p.gpus)) * shape.servers;
  const auto peers = topology.add_node(name + ".peers", graph::NodeRole::gpu);
  const auto far_peers = topology.add_node(name + ".peers.far", graph::NodeRole::gpu);
  if (shape.nvlink)
    topology.add_edge(peers, far_peers, name + ".nvlink", p.nvlink_payload() * gpu_count);
  if (shape.gds) {
    // Past DRAM: below one switch, there and on by NVLink, or up to the root complex and down
    // again, between sockets where data crosses them.    [host.md, table 1]
    const bool root = p.p2p == "root", proxy = p.p2p == "nvlink";
    const Rate peer = (proxy ? p.gpu_copy : p.peer()) * gpu_count;  // NVLink is a link of its own
    topology.add_edge(root ? socket_in : port_in, peers, name + ".gpu.peer", peer);
    const auto leaving = topology.add_node(name + ".peers.out", graph::NodeRole::gpu);
    topology.add_edge(leaving, root ? socket_out : port_out, name + ".gpu.peer.write", peer);
    const auto landing = proxy ? far_peers : peers;
    const auto far = topology.add_node(name + ".peers.far.out", graph::NodeRole::gpu);
    topology.add_edge(far, leaving, name + ".nvlink.write",
                      proxy ? p.nvlink_payload() * gpu_count : none);
    for (const HostShape::Mount& mount : shape.mounts) {
      const auto in =
          topology.add_node(name + ".mount." + mount.storage + ".gpu", graph::NodeRole::gpu);
      topology.add_edge(landing, in, name + ".client." + mount.storage + ".gds",
                        mount.limits.read * shape.servers);
      const auto out =
          topology.add_node(name + ".mount." + mount.storage + ".gpu.out", graph::NodeRole::gpu);
      topology.add_edge(out, far, name + ".client." + mount.storage + ".gds.write",
                        mount.limits.write * shape.servers);
    }
  }
  const auto gpus = topology.add_node(name + ".gpus", graph::NodeRole::gpu);
  topology.add_edge(gpus, memory_out, name + ".memory.snapshot", dram);
  return {port_in, port_out};
}

}  // namespace stallcast::models
