#pragma once

#include <string>
#include <vector>

#include "engine/graph/topology.hpp"
#include "models/contract/host.hpp"
#include "models/contract/storage.hpp"
#include "models/plant/fabric.hpp"
#include "models/plant/rank_layout.hpp"

namespace stallcast::models {

/// A group of identical servers, as edges of the topology.
struct HostShape {
  struct Mount {
    std::string storage;
    ClientLimits limits;  ///< of the storage client on one server
  };
  HostParams params;
  double servers = 1.0;  ///< in the group
  bool direct = true;    ///< every job on it reads with O_DIRECT
  bool gds = false;      ///< some job on it moves data to or from GPUs past host memory
  bool nvlink = false;   ///< some job passes data from GPU to GPU there
  std::vector<Mount> mounts;
};

/// Whether the loader of a job asks for GPUDirect Storage.
[[nodiscard]] bool asks_for_gds(const JobDesign& job);
/// Why cuFile would bounce the reads of such a job through host memory; empty: it would not.
/// [docs/models/host.md, table 1]
[[nodiscard]] std::string gds_obstacle(const HostParams& host, const JobDesign& job);
/// Whether the saves of a job ask for it, and why cuFile would bounce them; empty: it would not.
/// [docs/models/host.md, table 1]
[[nodiscard]] bool saves_ask_for_gds(const JobDesign& job);
[[nodiscard]] std::string save_gds_obstacle(const HostParams& host, const Component& save);

/// Whether data of such a job go from GPU to GPU inside a host besides its collectives: batches to
/// the other ranks of a copy of the model, a restored state, what a proxy GPU reads or writes.
/// [docs/models/host.md, eq. 5]
[[nodiscard]] bool passes_over_nvlink(const HostParams& host, const RankLayout& layout,
                                      const JobDesign& job);
/// Whether saves or the cached data of such a job lie on the drives of its hosts (`nvme`).
[[nodiscard]] bool uses_host_drives(const JobDesign& job);
/// GPUs of a reader's host that get its batch from it.
[[nodiscard]] double batch_peers(const RankLayout& layout, const JobDesign& job);

/// Where data enters a host towards its DRAM and where it leaves: network and local storage.
struct HostPorts {
  graph::NodeId in, out;
};

/// Adds the nodes and edges of one group: network ports, DRAM, storage clients, GPUs, local drives.
/// Names begin with `name` ("host.gpu[3]"). docs/models/host.md.
HostPorts add_host(graph::Topology& topology, const std::string& name, const HostShape& shape,
                   const FabricPorts& fabric);

}  // namespace stallcast::models
