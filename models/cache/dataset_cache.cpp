#include "models/cache/dataset_cache.hpp"

#include <algorithm>

namespace stallcast::models::cache {

DatasetCache::DatasetCache(const CachePlan& plan, const DatasetParams& dataset, Plant& plant,
                           const std::string& host, std::size_t group, sim::Context& context)
    : plan_(plan),
      ratio_(plan.eviction, plan.cached, plan.warm),
      copy_(dataset.cache_copy.value_or(Rate::infinity())),
      round_trip_(plant.fabric().round_trip),
      resources_(plant.resources()),
      copy_resource_(plant.resources().index("host." + host + ".cache.copy")),
      context_(context) {
  const auto add = [&](std::vector<sim::LinkId>& path, std::string_view what) {
    if (const sim::LinkId link = plant.host_link(host, group, what); link.valid())
      path.push_back(link);
  };
  const bool drives = dataset.cache_medium == "nvme";
  if (drives) {
    add(local_, "nvme.read");
    add(fill_, "nvme.write");
  }
  // Hosts are alike, so what a host gets from others it also gives to others.
  remote_ = local_;
  add(remote_, "nic.write");
  add(remote_, "nic.read");
  add(local_, "memory.read");
  add(remote_, "memory.read");
}

double DatasetCache::found(const Revisits& job) {
  return ratio_.at({plan_.pattern(job.pattern.share), job.passes});
}

sim::Task<Served> DatasetCache::stream(const Client& client, const std::vector<sim::LinkId>& path,
                                       Bytes bytes) {
  const sim::FlowOutcome flow = co_await context_.transfer(
      {.path = path, .bytes = bytes, .members = client.members, .cap = copy_});
  co_return Served{flow.binding.valid() ? resources_.of_link[flow.binding.index] : copy_resource_};
}

// One after the other, as a reader does.    [docs/models/cache.md, eq. 11]
sim::Task<Served> DatasetCache::read(const Client& client, Bytes bytes, double ranges) {
  const double remote = plan_.remote.in(unit::ratio);
  Served served;
  if (remote < 1.0) served = co_await stream(client, local_, bytes * (1.0 - remote));
  if (remote > 0.0) {
    co_await context_.sleep(round_trip_ * (ranges * remote));
    served = co_await stream(client, remote_, bytes * remote);
  }
  co_return served;
}

void DatasetCache::keep(const Client& client, Bytes bytes, const Revisits& job) {
  if (fill_.empty()) return;
  // Pinned data are written once, in the first epoch; otherwise what was missed comes in.
  const bool pinned = plan_.eviction == Eviction::none;
  if (pinned && job.passes > 0.0) return;
  const double share = pinned ? std::min(1.0, plan_.cached.in(unit::ratio)) : 1.0;
  context_.spawn(write(client.members, bytes * share));
}

sim::Task<void> DatasetCache::write(double members, Bytes bytes) {
  co_await context_.transfer({.path = fill_, .bytes = bytes, .members = members});
}

}  // namespace stallcast::models::cache
