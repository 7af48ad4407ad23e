#include "models/plant/plant.hpp"

#include <algorithm>

#include "models/contract/access.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/own_links.hpp"
#include "models/contract/priority.hpp"
#include "models/contract/replay_program.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/host_path.hpp"
#include "models/stage/host_drives.hpp"
#include "models/storage/credits.hpp"
#include "models/storage/kinds.hpp"
#include "stallcast/metric.hpp"

/// One topology of storage systems, fabric (network/fabric.cpp) and hosts (host_path.cpp).
namespace stallcast::models {
namespace {

/// Of what its links carry: with the parity that clients add at least.
ClientLimits carried_limits(const StorageModel& storage) {
  ClientLimits out = storage.client_limits();
  out.write *= storage.sent();
  return out;
}

/// The link of those requests of a host that a storage system has at one time.
std::string window_of(const std::string& storage) { return "client." + storage + ".requests"; }

// Of reads in ranges, as large as they are on average.
void add_load(const ReplayHeader& trace, StorageLoad& load) {
  const auto bytes = [](double value) { return Bytes::from(value, unit::B); };
  load.file = std::min(load.file, bytes(trace.read_bytes / trace.reads));
  load.largest = std::max(load.largest, bytes(trace.largest_file));
  load.files += static_cast<double>(trace.files);
  load.stored += bytes(trace.file_bytes);
  load.data += bytes(trace.file_bytes);
  load.seen += bytes(trace.file_bytes);
  load.whole = false;
  load.direct = false;
  load.concurrent_reads += static_cast<double>(trace.readers);
  load.readers.push_back(
      {{}, static_cast<double>(trace.readers), bytes(trace.read_bytes / trace.reads)});
}

}  // namespace

Plant::Plant(const Design& design, Presumed presumed)
    : order_(design), fabric_(design.fabric), presumed_(presumed) {
  for (const Component& component : design.storage)
    storages_.emplace(component.id,
                      with_credits(component, storage_row(component.kind).make(component)));
  for (const JobDesign& job : design.jobs) {
    const JobParams p = job_params(job.job);
    const std::size_t number = qos_.size();
    qos_[job.job.id] = {weight_in_class(p.share.value_or(1.0), p.priority), p.limit,
                        p.limit_operations, number};
  }
  fold(design);
  for (const Component& component : design.storage) {
    StorageLoad load;
    load.round_trip = fabric_.params().round_trip;
    load.weights = weights_of(design);
    std::vector<double> reads(design.jobs.size()), seen(design.jobs.size());  // of each job
    std::vector<std::string> names(design.jobs.size());
    std::map<std::string, Bytes> data, come_back;  // by name
    for (std::size_t j = 0; j < design.jobs.size(); ++j) {
      const JobDesign& job = design.jobs[j];
      if (!job.dataset) continue;
      const DatasetParams dataset = dataset_params(*job.dataset);
      double share = 0.0;  // of the files
      for (const DatasetParams::Place& place : dataset.places())
        if (leads_to(place.storage, component.id)) share += place.share;
      if (share <= 0.0) continue;
      const SampleAccess access = sample_access(job);
      const Bytes file = access.range(dataset.sample);
      load.file = std::min(load.file, file);
      load.largest = std::max(load.largest, file);
      load.files += access.files_of(dataset.sample_count()) * share;
      if (std::isfinite(access.stored_in_file()))
        load.stored += dataset.sample * (dataset.sample_count() * share);
      load.whole = load.whole && !access.in_pieces();
      load.direct = load.direct && dataset.direct;
      reads[j] = layouts_.at(job.job.id).readers() * loader_threads(job).reading() * share;
      load.readers.push_back({job.job.id, reads[j], file});
      names[j] = dataset.name.value_or("job " + job.job.id);
      Bytes& most = data[names[j]];
      most = std::max(most, dataset.sample * (dataset.sample_count() * share));
      seen[j] = dataset.sample.in(unit::B) * (dataset.sample_count() * share * access.touched);
    }
    load.concurrent_reads += order_.most_at_one_time(reads);
    // Jobs that give one name read one data set.    [docs/models/cache.md, eq. 7]
    for (const std::size_t j : order_.at_one_time(seen))
      come_back[names[j]] = std::max(come_back[names[j]], Bytes::from(seen[j], unit::B));
    for (const auto& [name, bytes] : data) load.data += bytes;
    for (const auto& [name, bytes] : come_back) load.seen += bytes;
    load.savers = savers_of(design, component.id);
    load.creators = savers_of(design, component.id, 1) + design.stages.size();
    load.written = !design.stages.empty() || load.savers > 0;
    for (const Component& tenant : design.tenants) {
      const std::vector<std::string> places = places_of(tenant);
      if (std::none_of(places.begin(), places.end(),
                       [&](const std::string& place) { return leads_to(place, component.id); }))
        continue;
      load.written = true;
      ++load.creators;
      const auto trace = replayed(tenant);
      if (trace && trace->reads > 0.0) add_load(*trace, load);
      load.others = load.others || !trace;
    }
    load.others = load.others || !design.stages.empty() || reads_saves(design, component.id);
    storages_.at(component.id)->build(topology_, load);
  }
  build_host_drives();
  build_hosts(design);
  count_cores(design);
}

// What is given of one direction alone is taken for both.    [docs/models/local.md, eq. 8]
void Plant::build_host_drives() {
  for (const auto& [id, host] : hosts_) {
    const std::optional<Rate>& read = host.params.nvme_read;
    const std::optional<Rate>& write = host.params.nvme_write;
    if (!host.drives || (!read && !write)) continue;
    auto& drives = storages_[drives_of(id)];
    drives = make_host_drives(drives_of(id), read ? *read : *write, write ? *write : *read);
    StorageLoad load;
    load.round_trip = fabric_.params().round_trip;
    drives->build(topology_, load);
    host_drives_.insert(drives_of(id));
  }
}

bool Plant::reaches(const std::string& host, const std::string& storage) const {
  return !host_drives_.contains(storage) || storage == drives_of(host);
}

void Plant::build_hosts(const Design& design) {
  std::vector<FabricSite> sites;
  for (const auto& [id, host] : hosts_) sites.push_back(host.site());
  const FabricPorts ports = fabric_.build(topology_, sites);
  for (const auto& [id, storage] : storages_) {
    if (storage->local()) continue;
    topology_.add_edge(storage->egress(), ports.from_storage, metric::of_storage(id, "port.read"),
                       Rate::infinity());
    topology_.add_edge(ports.to_storage, storage->ingress(), metric::of_storage(id, "port.write"),
                       Rate::infinity());
  }
  for (const auto& [id, storage] : storages_) {  // a cache is a client of what lies behind it
    const std::optional<Backing> behind = storage->backing();
    if (!behind) continue;
    const StorageModel& model = *storages_.at(behind->storage);
    const ClientLimits limits = carried_limits(model);
    const std::string name = "storage." + id;
    const auto join = [&](graph::NodeId from, graph::NodeId to, Rate client, const char* way) {
      const Rate clients = client * behind->clients;
      const std::string part = behind->link < clients ? ".link" : ".client." + behind->storage;
      topology_.add_edge(from, to, name + part + way, std::min(clients, behind->link));
    };
    join(model.egress(), storage->ingress(), limits.read, ".read");
    join(storage->egress(), model.ingress(), limits.write, ".write");
  }
  std::map<std::string, std::set<std::string>> users;  // of drives inside hosts
  for (const Component& component : design.storage)
    if (storages_.at(component.id)->own_of_host())
      users[component.id] = hosts_that_use(design, component.id);
  std::size_t group = 0;
  for (const Component& component : design.hosts) {
    HostClass& host = hosts_.at(component.id);
    host.first_group = group;
    HostShape shape{.params = host.params,
                    .direct = host.direct,
                    .gds = host.gds,
                    .nvlink = host.nvlink,
                    .mounts = {}};
    for (const auto& [id, storage] : storages_)
      if (reaches(component.id, id)) shape.mounts.push_back({id, carried_limits(*storage)});
    host.areas = fabric_.attach(topology_, component.id, host.site(), host.cut.areas);
    for (std::size_t g = 0; g < host.cut.groups.size(); ++g, ++group) {
      shape.servers = host.cut.groups[g].hosts;
      hosts_of_edge_.resize(topology_.edge_count(), 0.0);
      const HostPorts inside =
          add_host(topology_, group_name(component.id, g), shape, host.areas[g]);
      for (const auto& [id, storage] : storages_) {
        if (!storage->local() || !reaches(component.id, id)) continue;
        const std::set<std::string>& by = users[id];
        const bool used = by.empty() || by.contains(component.id);
        if (!used) idle_drives_[metric::of_storage(id)].insert("[" + std::to_string(group) + "]");
        storage->build_on_host(topology_, {.group = group,
                                           .hosts = shape.servers,
                                           .in = inside.in,
                                           .out = inside.out,
                                           .used = used});
      }
      hosts_of_edge_.resize(topology_.edge_count(), shape.servers);
    }
  }
}

void Plant::attach(sim::Context& context, std::uint64_t seed) {
  context_ = &context;
  const auto add = [&](const std::string& name, Rate capacity) {
    const sim::LinkId link = context.add_link(name, capacity);
    resources_.of_link.resize(link.index + 1, kNoResource);
    resources_.of_link[link.index] = resources_.index(name);
    link_by_name_[name] = link;
    return link;
  };
  link_of_edge_.assign(topology_.edge_count(), {});
  for (std::uint32_t e = 0; e < topology_.edge_count(); ++e) {
    const graph::EdgeId edge{e};
    if (topology_.capacity(edge).finite())
      link_of_edge_[e] =
          add(topology_.name(edge), topology_.capacity(edge) * fabric_.realised(edge, seed));
  }
  // What reads that meet there fill of a port, and of the links to its switch, is a part of both.
  //    [docs/models/network.md, eq. 4]
  const double most = fabric_.params().incast_share(std::numeric_limits<double>::infinity());
  for (const auto& [id, host] : hosts_)
    for (std::size_t g = 0; most < 1.0 && g < host.cut.groups.size(); ++g)
      for (const graph::EdgeId edge : topology_.route(
               fabric_.ports().to_hosts, topology_.node(group_name(id, g) + ".port.in")))
        if (const sim::LinkId link = link_of_edge_[edge.index];
            link.valid() && !meeting_.contains(link.index))
          meeting_[link.index] =
              add(own_link(topology_.name(edge), kManyToOne), context.use(link).capacity * most);
  for (const auto& [job, qos] : qos_) {
    if (qos.limit) add("job." + job + ".limit", *qos.limit);
    if (qos.operations)
      operations_.try_emplace(job, context, resources_, "job." + job + ".limit_operations",
                              *qos.operations);
  }
  for (const auto& [job, qos] : qos_)
    for (const auto& [id, storage] : storages_)
      if (const std::optional<OwnReads> own = storage->own_reads(job)) {
        if (own->rate.finite()) add(own_link(own->resource, job), own->rate);
        const std::string all = own_link(own->resource);
        if (own->together.finite() && !link_by_name_.contains(all)) add(all, own->together);
      }
  // A core is a link of capacity 1: one core-second per second, held as 1 B/s.
  for (const auto& [id, host] : hosts_)
    for (std::size_t g = 0; g < host.cut.groups.size(); ++g) {
      const double cores = host.params.loader_cores() * host.cut.groups[g].hosts;
      add(group_name(id, g) + ".cpu", Rate::from(cores, unit::Bps));
      meters_.try_emplace(group_name(id, g), context, cores);
    }
  // So is a file that is opened.    [docs/models/host.md, eq. 6]
  for (const auto& [id, host] : hosts_)
    for (std::size_t g = 0; host.params.opens && g < host.cut.groups.size(); ++g)
      add(group_name(id, g) + ".opens",
          Rate::from(host.params.opens->in(unit::per_s)*host.cut.groups[g].hosts, unit::Bps));
  // And a request that servers have of a host, where it can ask for more of them at a time.
  //    [docs/models/lustre.md, eq. 12]
  for (const auto& [id, storage] : storages_) {
    const double requests = storage->client_limits().requests;
    for (const auto& [host, there] : hosts_)
      for (std::size_t g = 0;
           requests > 0.0 && there.asking > requests && g < there.cut.groups.size(); ++g)
        add(group_name(host, g) + "." + window_of(id),
            Rate::from(requests * there.cut.groups[g].hosts, unit::Bps));
  }
  for (const auto& [id, storage] : storages_)
    storage->attach(context, resources_, fabric_.params().round_trip, seed);
  for (const auto& [id, storage] : storages_) {
    const std::optional<Backing> behind = storage->backing();
    if (!behind) continue;
    StorageModel& model = *storages_.at(behind->storage);
    storage->connect(
        model, {.fill = links(model.read_source(), storage->write_sink()),
                .pass = links(model.read_source(), storage->ingress()),
                .drain = links(storage->read_source(), model.write_sink()),
                .limit = link_named("storage." + id + ".client." + behind->storage + ".write")});
  }
  for (auto& [id, host] : hosts_)
    for (std::size_t g = 0; g < host.cut.groups.size(); ++g)
      for (const std::string& way :
           {std::string("nic.read"), std::string("nic.write"), own_link("nic.read", kManyToOne)})
        if (const sim::LinkId port = host_link(id, g, way); port.valid() && host.cut.groups[g].slow)
          host.slow_ports.push_back({g, port, context.use(port).capacity});
  begin_step();
}

std::vector<sim::LinkId> Plant::links(graph::NodeId from, graph::NodeId to) const {
  return links_of(topology_.route(from, to));
}

std::vector<sim::LinkId> Plant::links_of(const std::vector<graph::EdgeId>& way) const {
  std::vector<sim::LinkId> out;
  out.reserve(way.size() + 1);  // a limit may follow
  for (const graph::EdgeId edge : way)
    if (link_of_edge_[edge.index].valid()) out.push_back(link_of_edge_[edge.index]);
  return out;
}

Client Plant::client(const std::string& host, std::size_t group, const std::string& storage,
                     double members, bool gds) {
  const std::string mount = group_name(host, group) + ".mount." + storage;
  const StorageModel& model = *storages_.at(storage);
  const ClientLimits limits = model.client_limits();
  const HostClass& there = hosts_.at(host);
  const Rate network = model.local() ? Rate::infinity() : there.params.nic();
  const Narrowest reads = of_one_process(host, storage, true, gds);
  const Narrowest writes = of_one_process(host, storage, false, gds);
  const auto by = [&](const Narrowest& one) {
    return one.resource.empty() ? kNoResource : resources_.index(one.resource);
  };
  return {
      .id = clients_++,
      .host_group = there.first_group + group,
      .hosts = groups(host)[group].hosts,
      .members = members,
      .host_read = std::min(network, limits.read),
      .host_write = limits.write,
      .port_write = network,
      .core = writes.rate,
      .reads_by = by(reads),
      .writes_by = by(writes),
      .cpu = cpu(host, group),
      .window = {host_link(host, group, window_of(storage)), limits.requests,
                 groups(host)[group].hosts},
      .limit = host_link(host, group, "client." + storage + (gds ? ".gds.write" : ".write")),
      .read_path = links(model.read_source(), topology_.node(mount + (gds ? ".gpu" : ".in"))),
      .write_path = links(topology_.node(mount + (gds ? ".gpu.out" : ".out")), model.write_sink())};
}

// A limit is a link that all transfers of the job cross.    [docs/models/tenants.md, eq. 10]
Client Plant::job_client(const std::string& job, const std::string& host, std::size_t group,
                         const std::string& storage, double members, bool gds) {
  Client out = client(host, group, storage, members, gds);
  const JobQos& qos = qos_.at(job);
  out.share = qos.share;
  out.asker = Asker::of(qos.number, JobWork::steps);
  out.owner = 1 + qos.number;
  if (storages_.at(storage)->own_of_host()) return out;
  if (const auto line = operations_.find(job); line != operations_.end())
    out.operations = &line->second;
  if (!qos.limit) return out;
  const sim::LinkId limit = link_by_name_.at("job." + job + ".limit");
  out.read_path.push_back(limit);
  out.write_path.push_back(limit);
  return out;
}

Client Plant::reading_client(const std::string& job, const std::string& host, std::size_t group,
                             const std::string& storage, double members, bool gds) {
  Client out = job_client(job, host, group, storage, members, gds);
  if (const std::optional<OwnReads> own = storages_.at(storage)->own_reads(job))
    for (const std::string& whose : {job, std::string()})
      if (const auto link = link_by_name_.find(own_link(own->resource, whose));
          link != link_by_name_.end())
        out.read_path.push_back(link->second);
  return out;
}

void Plant::begin_step() {
  for (auto& [id, host] : hosts_) {
    if (!host.stragglers.pass(context_->now() - began_)) continue;
    for (const auto& [group, port, rate] : host.slow_ports)
      context_->set_capacity(port, rate * nic_share(id, group));
  }
}

std::vector<sim::LinkId> Plant::uplinks(const std::string& host, std::size_t group) const {
  const FabricPorts& area = hosts_.at(host).areas[group];
  std::vector<sim::LinkId> out = links(area.from_hosts, fabric_.ports().from_hosts);
  for (const sim::LinkId down : links(fabric_.ports().to_hosts, area.to_hosts)) out.push_back(down);
  return out;
}

}  // namespace stallcast::models
