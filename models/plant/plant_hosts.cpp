#include <algorithm>

#include "models/plant/plant.hpp"

/// What one host of a group has of the plant.
namespace stallcast::models {

// The narrowest link of its way to or from a storage system that hosts of its group have each.
//    [docs/models/host.md, eq. 7]
Plant::Narrowest Plant::narrowest_of(const std::vector<graph::EdgeId>& way) const {
  Narrowest out;
  for (const graph::EdgeId edge : way) {
    if (!(hosts_of_edge_[edge.index] > 0.0)) continue;
    const Rate rate = topology_.capacity(edge) / hosts_of_edge_[edge.index];
    if (rate < out.rate) out = {rate, ResourceTable::without_group(topology_.name(edge))};
  }
  return out;
}

Plant::Narrowest Plant::narrowest_in_host(const std::string& host, std::size_t group,
                                          const std::string& storage, bool reading,
                                          bool gds) const {
  return narrowest_of(route_of(host, group, storage, reading, gds));
}

Plant::Narrowest Plant::of_one_host(const std::string& host, std::size_t group,
                                    const std::string& storage, bool reading, bool gds) const {
  std::vector<graph::EdgeId> way = route_of(host, group, storage, reading, gds);
  if (!reading) way.erase(way.begin());  // of the client, before it adds parity
  return narrowest_of(way);
}

// Out of the memory of each host and into that of another, which is as busy: in the same links.
std::vector<graph::EdgeId> Plant::route_between_hosts(const std::string& host,
                                                      std::size_t group) const {
  const FabricPorts& area = hosts_.at(host).areas[group];
  const std::string name = group_name(host, group);
  std::vector<graph::EdgeId> way =
      topology_.route(topology_.node(name + ".memory.out"), area.from_hosts);
  for (const graph::EdgeId edge :
       topology_.route(area.to_hosts, topology_.node(name + ".memory.in")))
    way.push_back(edge);
  return way;
}

Plant::Narrowest Plant::between_hosts(const std::string& host, std::size_t group) const {
  return narrowest_of(route_between_hosts(host, group));
}

std::vector<sim::LinkId> Plant::links_between_hosts(const std::string& host,
                                                    std::size_t group) const {
  return links_of(route_between_hosts(host, group));
}

Plant::Narrowest Plant::of_one_process(const std::string& host, const std::string& storage,
                                       bool reading, bool gds, double threads) const {
  const HostParams& there = hosts_.at(host).params;
  Narrowest out{core_rates_to(host, storage).process, ""};
  if (!gds) return out;
  const std::string name = "host." + host;
  if (there.gds_stream < out.rate) out = {there.gds_stream, name + ".gds"};
  const bool proxy = there.p2p == "nvlink" && there.nvlink_payload() < there.gpu_copy;
  if (const Rate path = there.peer() / threads; path < out.rate)
    out = {path, name + (proxy ? ".nvlink" : ".gpu.peer") + (reading ? "" : ".write")};
  return out;
}

std::vector<graph::EdgeId> Plant::route_of(const std::string& host, std::size_t group,
                                           const std::string& storage, bool reading,
                                           bool gds) const {
  const StorageModel& model = *storages_.at(storage);
  const graph::NodeId end = mount(host, group, storage, reading, gds);
  return reading ? topology_.route(model.read_source(), end)
                 : topology_.route(end, model.write_sink());
}

graph::NodeId Plant::mount(const std::string& host, std::size_t group, const std::string& storage,
                           bool reading, bool gds) const {
  const std::string_view end = gds ? ".gpu" : reading ? ".in" : "";
  const std::string name = group_name(host, group) + ".mount." + storage + std::string(end);
  return topology_.node(reading ? name : name + ".out");
}

std::vector<graph::NodeId> Plant::mounts(const std::string& host, const std::string& storage,
                                         bool reading, bool gds) const {
  std::vector<graph::NodeId> out;
  for (std::size_t g = 0; g < groups(host).size(); ++g)
    out.push_back(mount(host, g, storage, reading, gds));
  return out;
}

sim::LinkId Plant::host_link(const std::string& host, std::size_t group,
                             std::string_view what) const {
  const std::string& of = group_name(host, group);
  std::string name;
  name.reserve(of.size() + 1 + what.size());
  return link_named(name.append(of).append(".").append(what));
}

sim::LinkId Plant::link_named(std::string_view name) const {
  const auto found = link_by_name_.find(name);
  return found == link_by_name_.end() ? sim::LinkId{} : found->second;
}

void Plant::many_to_one(Client& client, double reads) const {
  if (fabric_.params().incast_share(reads) >= 1.0) return;
  const std::vector<sim::LinkId> way = client.read_path;
  for (const sim::LinkId link : way)
    if (const auto part = meeting_.find(link.index); part != meeting_.end())
      client.read_path.push_back(part->second);
}

double Plant::gpu_speed(const std::string& host, std::size_t group) const {
  const HostClass& there = hosts_.at(host);
  return there.slow(group) ? there.params.slow_compute.in(unit::ratio) : 1.0;
}

double Plant::nic_share(const std::string& host, std::size_t group) const {
  const HostClass& there = hosts_.at(host);
  return there.slow(group) ? there.params.slow_nic.in(unit::ratio) : 1.0;
}

void Plant::replace(const std::string& host, double hosts) {
  HostClass& there = hosts_.at(host);
  for (HostGroup& group : there.cut.groups)
    if (group.among_last(hosts, static_cast<double>(there.params.count))) group.slow = false;
  for (const auto& [group, port, rate] : there.slow_ports)
    context_->set_capacity(port, rate * nic_share(host, group));
}

}  // namespace stallcast::models
