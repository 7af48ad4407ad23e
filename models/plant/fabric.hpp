#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/topology.hpp"
#include "models/contract/fabric.hpp"
#include "stallcast/design.hpp"

/// The network of a plant as edges of its topology. docs/models/network.md.
namespace stallcast::models {

/// Equal areas side by side, told apart as equal parts of an area or more each, and the groups of
/// hosts in each part.
struct AreaRun {
  double areas = 1.0;
  double hosts = 1.0;  ///< in all of them
  std::vector<std::size_t> groups = {};
};

/// Where hosts and storage systems meet the network; reads and writes go separate ways.
struct FabricPorts {
  graph::NodeId from_storage, to_hosts;  ///< reads
  graph::NodeId from_hosts, to_storage;  ///< writes
};

/// The fabric of a plant.
class Fabric {
 public:
  explicit Fabric(const Component& component);
  [[nodiscard]] const FabricParams& params() const { return params_; }

  /// Adds what all hosts share; storage systems attach to its ports. Called once.
  [[nodiscard]] FabricPorts build(graph::Topology& topology, std::span<const FabricSite> sites);
  /// Hosts of `site` that fill an area; infinite where areas do not limit.
  [[nodiscard]] double area_hosts(const FabricSite& site) const;
  /// Hosts of `site` in the area that its host number `host` lies in, counted from 0; infinite
  /// where all lie in one.
  [[nodiscard]] double beside(const FabricSite& site, double host) const;
  /// Adds the areas of one class of hosts, and returns the ports of each of their groups in turn.
  [[nodiscard]] std::vector<FabricPorts> attach(graph::Topology& topology, const std::string& host,
                                                const FabricSite& site,
                                                std::span<const AreaRun> runs);
  /// Share of an edge's capacity that connections placed by hash reach in a run: drawn for edges of
  /// areas, 1 for others.    [docs/models/network.md, eq. 2]
  [[nodiscard]] double realised(graph::EdgeId edge, std::uint64_t seed) const;
  /// For collectives of `site`'s hosts with `connections` of one host in all; drawn with a seed,
  /// without one the best placement.    [docs/models/network.md, eq. 3]
  [[nodiscard]] CollectiveShares collectives(const FabricSite& site, double connections,
                                             std::optional<std::uint64_t> seed) const;
  /// Ports of all hosts and all storage.
  [[nodiscard]] const FabricPorts& ports() const { return ports_; }

 private:
  struct Area {
    graph::EdgeId down, up;
    std::string name;
    double count = 1.0;  ///< areas it stands for
    double flows = 1.0;  ///< storage connections of one switch
    FabricShape shape;
  };
  [[nodiscard]] FabricShape shape(const FabricSite& site) const;
  /// `count` areas as one, of `hosts` hosts each; their ports.
  FabricPorts add_areas(graph::Topology& topology, const std::string& name,
                        const FabricShape& shape, double count, double hosts);

  Component component_;
  FabricParams params_;
  FabricPorts ports_;
  std::vector<Area> areas_;
};

}  // namespace stallcast::models
