#include <algorithm>
#include <cmath>

#include "models/network/kinds.hpp"

/// Dragonfly: groups of switches joined all to all, twice. Equations: docs/models/network.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kRoutings[] = {"adaptive", "minimal", "valiant"};
struct Dragonfly {
  std::int64_t hosts = 128, switches = 32, local = 1, global = 4, storage = 1;
  std::optional<std::int64_t> groups;
  std::optional<Rate> link, compute_link;
  std::string routing;
};
constexpr std::array<Field<Dragonfly>, 9> kDragonfly{
    field("group.hosts", &Dragonfly::hosts, "128", "hosts in one group",
          assumed(up_to(1e6), "Frontier: 74 groups of 128 nodes, from memory")),
    field("group.switches", &Dragonfly::switches, "32", "switches in one group",
          assumed(up_to(65536), "Frontier, from memory")),
    field("local.links", &Dragonfly::local, "1", "links between two switches of a group",
          assumed(up_to(1024))),
    field("global.links", &Dragonfly::global, "4", "links between two groups",
          assumed(up_to(65536))),
    field("storage.groups", &Dragonfly::storage, "1", "groups that storage lies in", up_to(65536)),
    field(
        "groups", &Dragonfly::groups, kOptional,
        "groups of the whole machine, for jobs on a part of it; absent: those of hosts and storage",
        FieldLimits{.minimum = 2.0, .maximum = 65536.0}),
    field("link.rate", &Dragonfly::link, kOptional, kLinkDoc, kPositive),
    field("compute_link.rate", &Dragonfly::compute_link, kOptional, kComputeLinkDoc, kPositive),
    field("routing", &Dragonfly::routing, "adaptive",
          "minimal: by the direct link; valiant: by a random third group, every byte twice; "
          "adaptive: "
          "the better of both",
          one_of(kRoutings))};

}  // namespace

std::span<const FieldInfo> dragonfly_fields() { return kInfos<kDragonfly>; }

FabricShape dragonfly_shape(const Component& component, const FabricSite& site) {
  const Dragonfly p = bind<kDragonfly>(component);
  const double areas = std::max(1.0, std::ceil(site.hosts / static_cast<double>(p.hosts) - 1e-9));
  const double storage = static_cast<double>(p.storage);
  const double groups = std::max(static_cast<double>(p.groups.value_or(0)), areas + storage);
  const double global = static_cast<double>(p.global), switches = static_cast<double>(p.switches);
  const Rate link =
      link_between_switches(p.link, p.compute_link, site) * fabric_params(component).link_share();
  const Rate pair = link * global;
  // Links to the groups it wants, or half of all its links because every byte takes two.
  // [docs/models/network.md, eq. 6]
  const double half = (groups - 1.0) / 2.0;
  const auto direct = [&](double peers) {
    return p.routing == "minimal" || (p.routing == "adaptive" && peers >= half);
  };
  const auto out_of = [&](double group_count, double peers) {
    return pair * (group_count * (direct(peers) ? peers : half));
  };
  // A byte leaves its group of storage once, and passes through another of them by chance.
  const double passing = groups > 2.0 ? (storage - 1.0) / (groups - 2.0) : 0.0;
  const double by_third = (groups - 1.0) / (1.0 + passing);
  const double of_storage = p.routing == "minimal"   ? areas
                            : p.routing == "valiant" ? by_third
                                                     : std::max(areas, by_third);
  // Of the links toward storage: none of them where both go directly, each to other groups; all
  // links are one pool where a third group passes storage traffic on, of which a direct byte takes
  // half; what a third group passes on for collectives crosses every link alike.    [eq. 7]
  const auto load = [&](double peers) {
    if (direct(storage)) return direct(peers) ? 0.0 : storage / half;
    return direct(peers) ? 0.5 : 1.0;
  };
  return {.areas = areas,
          .area_hosts = static_cast<double>(p.hosts),
          // one switch has no other that bytes could go to first
          .local = switches > 1.0
                       ? link * (switches * (switches - 1.0) * static_cast<double>(p.local))
                       : Rate::infinity(),
          .uplink = out_of(1.0, storage),
          .spread = out_of(1.0, areas - 1.0),
          .links = global,
          .ring_ports = site.ports,
          .ring_links = out_of(1.0, 1.0) / link,
          .link = link,
          .core = pair * (storage * of_storage),
          .ring_load = load(1.0),
          .spread_load = load(areas - 1.0)};
}

}  // namespace stallcast::models
