#include "models/storage/drive_store.hpp"

#include <algorithm>

/// Equations, sources and valid range: docs/models/local.md.
namespace stallcast::models {

void DriveStore::build(graph::Topology& topology, const StorageLoad& load) {
  streams_ = load.concurrent_reads;
  source_ = topology.add_node(name_ + ".source", graph::NodeRole::target);
  sink_ = topology.add_node(name_ + ".sink", graph::NodeRole::target);
}

void DriveStore::add_drives(graph::Topology& topology, double sets, const std::string& group,
                            graph::NodeId out, graph::NodeId in, bool used) {
  const std::string media = name_ + ".drives";
  const Rate none = Rate::infinity();
  const Rate reads = drives_.read * (drives_.drives() * drives_.inflation * sets);
  const Rate writes =
      drives_.fastest_write() * (drives_.drives() * (sent() / drives_.written()) * sets);
  const Rate best = std::max(reads, writes);
  const auto media_in = topology.add_node(media + ".in" + group, graph::NodeRole::target);
  const auto media_out = topology.add_node(media + ".out" + group, graph::NodeRole::target);
  topology.add_edge(source_, media_in, name_ + ".source" + group, none);
  topology.add_edge(media_in, media_out, media + group, best);
  topology.add_edge(media_out, out, media + ".read" + group, reads < best ? reads : none);
  topology.add_edge(in, media_in, media + ".write" + group, writes < best ? writes : none);
  topology.add_edge(media_out, sink_, name_ + ".sink" + group, none);
  banks_.emplace_back(drives_, sets, media, group, local());
  if (used) sets_ += sets;
}

void DriveStore::attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
                        std::uint64_t) {
  context_ = &context;
  round_trip_ = round_trip;
  for (DriveBank& bank : banks_) bank.attach(context, resources, streams_ / std::max(sets_, 1.0));
  const std::string media = name_ + ".drives";
  drive_links_ = ScaledLinks(context, resources, {media, media + ".read", media + ".write"});
  server_links_ = ScaledLinks(context, resources, server_edges());
  open_resource_ = resources.index(name_ + ".open");
  stream_resource_ = resources.index(name_ + ".client.stream");
}

void DriveStore::scale(StoragePart part, double factor) {
  drive_links_.scale(*context_, factor);
  if (part == StoragePart::server) server_links_.scale(*context_, factor);
}

sim::Task<Served> DriveStore::open(const Client&, double files) {
  co_await context_->sleep(drives_.open * files);
  co_return Served{open_resource_};
}

sim::Task<Served> DriveStore::read(const Client& client, const ReadRequest& request) {
  return banks_[bank(client)].read(client, request, turn(), stream(request.direct),
                                   stream_resource_);
}

sim::Task<Served> DriveStore::write(const Client& client, const WriteRequest& request) {
  co_await context_->sleep(drives_.create * request.files);
  DriveBank& drives = banks_[bank(client)];
  const Served served =
      co_await drives.write(client, request, stream(request.direct), stream_resource_, sent());
  co_await context_->sleep((drives_.write_latency + turn()) * (request.files + request.requests));
  co_return served;
}

}  // namespace stallcast::models
