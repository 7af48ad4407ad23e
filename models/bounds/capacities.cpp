#include "models/bounds/bounds.hpp"
#include "models/plant/plant.hpp"

/// What shared resources can do, before anything is simulated.
namespace stallcast::models {

std::map<std::string, Capacity> capacities(const Design& design) {
  const Plant plant(design);
  std::map<std::string, Capacity> out;
  const auto add = [&](const std::string& name, double amount, const char* unit) {
    Capacity& sum = out[ResourceTable::without_group(name)];
    sum.amount += amount;
    sum.unit = unit;
  };
  for (std::uint32_t e = 0; e < plant.topology().edge_count(); ++e)
    if (const Rate rate = plant.topology().capacity(graph::EdgeId{e}); rate.finite())
      add(plant.topology().name(graph::EdgeId{e}), rate.in(unit::Bps), "B/s");
  for (const Component& host : design.hosts)
    for (const HostGroup& group : plant.groups(host.id)) {
      const HostParams& p = plant.host(host.id);
      add("host." + host.id + ".cpu", p.loader_cores() * group.hosts, "cores");
      if (p.opens) add("host." + host.id + ".opens", p.opens->in(unit::per_s)*group.hosts, "1/s");
    }
  return out;
}

}  // namespace stallcast::models
