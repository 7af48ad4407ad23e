#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/graph/topology.hpp"
#include "stallcast/design.hpp"

/// The network between hosts and storage, and between hosts. docs/models/network.md.
namespace stallcast::models {

/// What every kind of fabric has.
struct FabricParams {
  Seconds round_trip;
  std::optional<Rate> bisection;
  bool converged = false;
  std::string technology;
  std::string placement;
  std::int64_t connections = 1;
  std::optional<Fraction> efficiency;
  std::int64_t incast_senders = 1;
  Fraction incast_goodput;

  /// Whether every packet may take another path, so that no connection meets an unlucky link.
  [[nodiscard]] bool sprayed() const;
  /// Share of a switch link's line rate that carries payload.
  [[nodiscard]] double link_share() const;
  /// Share of a port that `senders` servers that send to it at one time fill.
  /// [docs/models/network.md, eq. 4]
  [[nodiscard]] double incast_share(double senders) const;
};
[[nodiscard]] FabricParams fabric_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> fabric_fields();

/// Hosts of one class as a fabric sees them.
struct FabricSite {
  double hosts = 1.0;
  double ports = 1.0;  ///< of one host, equal
  Rate port;           ///< line rate of one
};

/// How a fabric joins one class of hosts with the rest: in areas (leaves, pods, groups) that hosts
/// fill one after the other. The default is one area without limits. Payload rates.
struct FabricShape {
  double areas = 1.0;
  double area_hosts = std::numeric_limits<double>::infinity();  ///< that fill one area
  Rate local =
      Rate::infinity();  ///< that hosts of one area exchange with its way out, each direction
  Rate uplink = Rate::infinity();  ///< of one area toward storage, each direction
  Rate spread = Rate::infinity();  ///< of one area toward all others, each direction
  double switches = 1.0;           ///< of one area that choose a link by themselves
  double links = 0.0;              ///< equal links such a switch chooses among; 0: no choice
  double ring_ports = 0.0;         ///< host ports whose ring traffic leaves such a switch
  double ring_links = 0.0;         ///< equal links that takes
  Rate link = Rate::infinity();    ///< one of them
  Rate core = Rate::infinity();    ///< what all hosts and all storage exchange, each direction
  /// Of `uplink`, what a byte of a ring, or of an all-to-all, takes on its way out of an area.
  /// [docs/models/network.md, eq. 7]
  double ring_load = 1.0, spread_load = 1.0;
};

/// Kinds.
[[nodiscard]] FabricShape switched_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape fat_tree_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape rail_shape(const Component& component, const FabricSite& site);
[[nodiscard]] FabricShape dragonfly_shape(const Component& component, const FabricSite& site);
[[nodiscard]] std::span<const base::FieldInfo> fat_tree_fields();
[[nodiscard]] std::span<const base::FieldInfo> rail_fields();
[[nodiscard]] std::span<const base::FieldInfo> dragonfly_fields();

/// Equal areas side by side, and the groups of hosts in them: equal ones over several areas, or
/// several in one area.
struct AreaRun {
  double areas = 1.0;
  double hosts = 1.0;  ///< in all of them
  std::size_t groups = 0;
};

/// Where hosts and storage systems meet the network; reads and writes go separate ways.
struct FabricPorts {
  graph::NodeId from_storage, to_hosts;  ///< reads
  graph::NodeId from_hosts, to_storage;  ///< writes
  double incast = 1.0;                   ///< share of its ports that a host's reads fill
};

/// What collectives are left of their hosts' ports, and what they take of the links to storage.
struct CollectiveShares {
  double ring = 1.0;                                            ///< every host sends to the next
  double spread = 1.0;                                          ///< every host sends to all others
  double area_hosts = std::numeric_limits<double>::infinity();  ///< in an area; infinite: one area
  double ring_load = 1.0, spread_load = 1.0;                    ///< as in FabricShape

  /// Of what each host sends to the one `stride` hosts on, and of what each of `hosts` hosts sends
  /// to all others: bytes on the links that join areas with storage.
  /// [docs/models/network.md, eq. 7]
  [[nodiscard]] double ring_outside(double stride = 1.0) const;
  [[nodiscard]] double spread_outside(double hosts) const;
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
  /// Adds the areas of one class of hosts, and returns the ports of each of their groups in turn.
  /// `senders` reads go to one host at a time.
  [[nodiscard]] std::vector<FabricPorts> attach(graph::Topology& topology, const std::string& host,
                                                const FabricSite& site,
                                                std::span<const AreaRun> runs, double senders);
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
                        const FabricShape& shape, double count, double hosts, double incast);

  Component component_;
  FabricParams params_;
  FabricPorts ports_;
  std::vector<Area> areas_;
};

}  // namespace stallcast::models
