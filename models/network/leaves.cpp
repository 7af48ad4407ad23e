#include <algorithm>
#include <cmath>

#include "models/network/kinds.hpp"

/// Two-level trees of equal switches: fat trees and rails. Equations: docs/models/network.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Leaves {
  std::int64_t ports = 64;
  double oversubscription = 1.0;
  std::optional<Rate> link, compute_link;
};
constexpr std::array<Field<Leaves>, 4> kLeaves{
    field("leaf.ports", &Leaves::ports, "64", "ports of one leaf switch, up and down together",
          assumed(FieldLimits{.minimum = 2.0, .maximum = 65536.0},
                  "NVIDIA Quantum-2: 64 x 400 Gb/s, from memory")),
    field("oversubscription", &Leaves::oversubscription, "1",
          "ports toward hosts over ports toward spines", kAtLeastOne),
    field("link.rate", &Leaves::link, kOptional, kLinkDoc, kPositive),
    field("compute_link.rate", &Leaves::compute_link, kOptional, kComputeLinkDoc, kPositive)};

/// One leaf: so many ports down and up.
struct Leaf {
  double down, up;
  Rate link;
};
Leaf leaf_of(const Component& component, const FabricSite& site) {
  const Leaves p = bind<kLeaves>(component);
  const double ports = static_cast<double>(p.ports);
  const double up = std::max(1.0, std::round(ports / (1.0 + p.oversubscription)));
  return {.down = std::max(1.0, ports - up),
          .up = up,
          .link = link_between_switches(p.link, p.compute_link, site) *
                  fabric_params(component).link_share()};
}

}  // namespace

std::span<const FieldInfo> fat_tree_fields() { return kInfos<kLeaves>; }
std::span<const FieldInfo> rail_fields() { return kInfos<kLeaves>; }

FabricShape switched_shape(const Component&, const FabricSite&) { return {}; }

// All ports of a host on one leaf, hosts side by side: a ring leaves a leaf once.
// [docs/models/network.md, eq. 5]
FabricShape fat_tree_shape(const Component& component, const FabricSite& site) {
  const Leaf leaf = leaf_of(component, site);
  const double hosts = std::max(1.0, std::floor(leaf.down / site.ports));
  return {.areas = std::max(1.0, std::ceil(site.hosts / hosts - 1e-9)),
          .area_hosts = hosts,
          .uplink = leaf.link * leaf.up,
          .spread = leaf.link * leaf.up,
          .down = leaf.down,
          .links = leaf.up,
          .ring_ports = site.ports,
          .ring_links = leaf.up,
          .link = leaf.link};
}

// Port r of every host of a pod on leaf r: a leaf for each port, as many hosts as one leaf has
// ports down, and a ring leaves each leaf with one port.    [docs/models/network.md, eq. 5]
FabricShape rail_shape(const Component& component, const FabricSite& site) {
  const Leaf leaf = leaf_of(component, site);
  return {.areas = std::max(1.0, std::ceil(site.hosts / leaf.down - 1e-9)),
          .area_hosts = leaf.down,
          .uplink = leaf.link * (leaf.up * site.ports),
          .spread = leaf.link * (leaf.up * site.ports),
          .switches = site.ports,
          .down = leaf.down,
          .links = leaf.up,
          .ring_ports = 1.0,
          .ring_links = leaf.up,
          .link = leaf.link};
}

}  // namespace stallcast::models
