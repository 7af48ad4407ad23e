#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// The network between hosts and storage, and between hosts. docs/models/network.md.
namespace stallcast::models {

/// What every kind of fabric has.
struct FabricParams {
  Seconds round_trip;
  std::optional<Rate> bisection;
  std::optional<Rate> port;  ///< of a switch; none: as fast as what is plugged in
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
struct HostParams;
/// `host` as it is plugged into the switches of `fabric`.    [docs/models/network.md, eq. 8]
[[nodiscard]] HostParams plugged_in(HostParams host, const FabricParams& fabric);
/// Rate of a port of the switches over that of a NIC of `host`; infinite where either is not known.
[[nodiscard]] double port_over_nic(const Component& host, const Component& fabric);
/// `design` with switches whose ports are as fast as what is plugged in, where none of them is
/// slower: who makes NICs faster to see what they are worth has ports to match.
[[nodiscard]] Design with_ports_to_match(Design design);
/// `design` with the rate of links between switches written down where it is absent, of the storage
/// and of the compute network each, where all ports that it stands for have one rate: faster ports
/// then leave links as they are.
[[nodiscard]] Design with_link_rate(Design design);
/// Whether links between switches get faster with ports of hosts whose `field` ("nic.rate",
/// "compute_nic.rate") becomes `rate`: they are as fast as their ports where nobody gave them a
/// rate, and those of the compute network never slower than "link.rate".
[[nodiscard]] bool links_follow(const Component& fabric, std::string_view field, Rate rate);
/// Whether `job` has collectives on `compute_nic`, a network of their own.
[[nodiscard]] bool uses_compute_network(const JobDesign& job, const Component& fabric);

/// Hosts of one class as a fabric sees them.
struct FabricSite {
  double hosts = 1.0;
  double ports = 1.0;    ///< of one host, equal
  Rate port;             ///< line rate of one
  bool compute = false;  ///< on the network of `compute_nic`
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
  double down = std::numeric_limits<double>::infinity();  ///< ports of one toward hosts
  double links = 0.0;            ///< equal links such a switch chooses among; 0: no choice
  double ring_ports = 0.0;       ///< host ports whose ring traffic leaves such a switch
  double ring_links = 0.0;       ///< equal links that takes
  Rate link = Rate::infinity();  ///< one of them
  Rate core = Rate::infinity();  ///< what all hosts and all storage exchange, each direction
  /// Of `uplink`, what a byte of a ring, or of an all-to-all, takes on its way out of an area.
  /// [docs/models/network.md, eq. 7]
  double ring_load = 1.0, spread_load = 1.0;
};

/// What collectives are left of their hosts' ports, and what they take of the links to storage.
struct CollectiveShares {
  double ring = 1.0;                                            ///< every host sends to the next
  double spread = 1.0;                                          ///< every host sends to all others
  double area_hosts = std::numeric_limits<double>::infinity();  ///< in a full area; infinite: one
  double ring_load = 1.0, spread_load = 1.0;                    ///< as in FabricShape

  /// Of what each host of such an area sends to the one `stride` hosts on, and of what each of
  /// `hosts` hosts sends to all others: bytes on the links that join areas with storage.
  /// [docs/models/network.md, eq. 7]
  [[nodiscard]] double ring_outside(double stride = 1.0) const;
  [[nodiscard]] double spread_outside(double hosts) const;
};

}  // namespace stallcast::models
