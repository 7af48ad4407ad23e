#include "models/plant/fabric.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/rows.hpp"
#include "models/plant/ecmp.hpp"

/// Equations and sources: docs/models/network.md.
namespace stallcast::models {
namespace {

using namespace base;

// What links reach when packets take any of them.    [docs/models/network.md, table 1]
constexpr double kSprayedShare = 0.95;
// Parts of an area that adding up hosts leaves.
constexpr double kAreaRounding = 1e-9;

}  // namespace

Fabric::Fabric(const Component& component)
    : component_(component), params_(fabric_params(component)) {}

FabricShape Fabric::shape(const FabricSite& site) const {
  return fabric_row(component_.kind).shape(component_, site);
}

FabricPorts Fabric::build(graph::Topology& topology, std::span<const FabricSite> sites) {
  using graph::NodeRole;
  Rate core = params_.bisection.value_or(Rate::infinity());
  for (const FabricSite& site : sites) core = std::min(core, shape(site).core);
  ports_ = {.from_storage = topology.add_node("fabric.from-storage", NodeRole::network),
            .to_hosts = topology.add_node("fabric.to-hosts", NodeRole::network),
            .from_hosts = topology.add_node("fabric.from-hosts", NodeRole::network),
            .to_storage = topology.add_node("fabric.to-storage", NodeRole::network)};
  topology.add_edge(ports_.from_storage, ports_.to_hosts, "fabric.read", core);
  topology.add_edge(ports_.from_hosts, ports_.to_storage, "fabric.write", core);
  return ports_;
}

double Fabric::area_hosts(const FabricSite& site) const {
  const FabricShape shape = this->shape(site);
  const bool limits = shape.uplink.finite() || shape.local.finite();
  return limits ? shape.area_hosts : std::numeric_limits<double>::infinity();
}

double Fabric::beside(const FabricSite& site, double host) const {
  const double area = area_hosts(site);
  if (area >= site.hosts) return std::numeric_limits<double>::infinity();
  return std::min(area, site.hosts - area * std::floor(host / area + kAreaRounding));
}

std::vector<FabricPorts> Fabric::attach(graph::Topology& topology, const std::string& host,
                                        const FabricSite& site, std::span<const AreaRun> runs) {
  const FabricShape shape = this->shape(site);
  const bool limits = shape.uplink.finite() || shape.local.finite();
  std::size_t all = 0, next = 0;
  for (const AreaRun& run : runs) all += run.groups.size();
  std::vector<FabricPorts> out;
  for (const AreaRun& run : runs)
    for (const std::size_t groups : run.groups) {
      FabricPorts area = ports_;
      const std::string number = all > 1 ? "[" + std::to_string(next++) + "]" : "";
      if (limits)
        area = add_areas(topology, "fabric." + host + ".area" + number, shape,
                         run.areas / static_cast<double>(run.groups.size()), run.hosts / run.areas);
      out.insert(out.end(), groups, area);
    }
  return out;
}

FabricPorts Fabric::add_areas(graph::Topology& topology, const std::string& name,
                              const FabricShape& shape, double count, double hosts) {
  using graph::NodeRole;
  FabricPorts inside = ports_;
  const auto in = topology.add_node(name + ".in", NodeRole::network);
  const auto out_of = topology.add_node(name + ".out", NodeRole::network);
  inside.to_hosts = topology.add_node(name + ".to-hosts", NodeRole::network);
  inside.from_hosts = topology.add_node(name + ".from-hosts", NodeRole::network);
  const Rate uplink = shape.uplink * count;
  const graph::EdgeId down = topology.add_edge(ports_.to_hosts, in, name + ".uplink.read", uplink);
  const graph::EdgeId up =
      topology.add_edge(out_of, ports_.from_hosts, name + ".uplink.write", uplink);
  topology.add_edge(in, inside.to_hosts, name + ".local.read", shape.local * count);
  topology.add_edge(inside.from_hosts, out_of, name + ".local.write", shape.local * count);
  const double flows = hosts * static_cast<double>(params_.connections);
  areas_.push_back({.down = down,
                    .up = up,
                    .name = name,
                    .count = count,
                    .flows = flows / shape.switches,
                    .shape = shape});
  return inside;
}

double Fabric::realised(graph::EdgeId edge, std::uint64_t seed) const {
  for (const Area& area : areas_) {
    if (!(area.down == edge) && !(area.up == edge)) continue;
    if (area.shape.links <= 0.0) return 1.0;
    if (params_.sprayed()) return kSprayedShare;
    RandomStream random(seed, area.name, area.down == edge ? "read" : "write");
    return worst_hashed_share(area.count * area.shape.switches, area.flows, area.shape.links,
                              random);
  }
  return 1.0;
}

CollectiveShares Fabric::collectives(const FabricSite& site, double connections,
                                     std::optional<std::uint64_t> seed) const {
  const FabricShape shape = this->shape(site);
  if (shape.areas <= 1.0) return {};
  const double switches = shape.areas * shape.switches;
  const double per_port = std::max(1.0, connections / site.ports);
  const auto reached = [&](double flows, double links, std::string_view purpose) {
    if (links <= 0.0 || !seed) return 1.0;
    if (params_.sprayed()) return kSprayedShare;
    RandomStream random(*seed, "fabric", purpose);
    return worst_hashed_share(switches, flows, links, random);
  };
  const Rate payload = site.port * params_.link_share();
  // What leaves an area takes its local links first, whatever is beyond them.
  CollectiveShares out{.area_hosts = shape.area_hosts,
                       .ring_load = shape.ring_load,
                       .spread_load = shape.spread_load};
  if (shape.ring_ports > 0.0) {
    const Rate there = shape.link * shape.ring_links *
                       reached(shape.ring_ports * per_port, shape.ring_links, "ring");
    out.ring = std::min(1.0, std::min(there, shape.local) / (payload * shape.ring_ports));
  }
  if (shape.spread.finite()) {
    const double hosts = shape.area_hosts;
    const Rate there =
        shape.spread * reached(hosts * connections / shape.switches, shape.links, "spread");
    const double leaving = site.ports * hosts * (1.0 - hosts / site.hosts);
    out.spread = std::min(1.0, std::min(there, shape.local) / (payload * leaving));
  }
  return out;
}

}  // namespace stallcast::models
