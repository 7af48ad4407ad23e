#include "models/loading/loader_site.hpp"

#include <cmath>

#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/host_path.hpp"

namespace stallcast::models {

LoaderSite loader_site(const LoaderDesign& loaders, const JobDesign& job, const Grains& grains,
                       Plant& plant, const RankPlace& place, sim::Context& context) {
  const std::string& host = loaders.hosts;
  const RankLayout& layout = plant.layout(job.job.id);
  const std::size_t group = place.group;
  const double readers = layout.readers(place);
  const HostParams& p = plant.host(host);
  const LoaderParams& loader = loaders.params;
  LoaderSite site;
  const DatasetParams& dataset = loaders.dataset;
  const std::string& storage = dataset.on;
  site.storage = &plant.storage(storage);
  site.drawn = plant.varied(storage);
  const bool fills_ports = plant.fabric().incast_share(HUGE_VAL) >= 1.0;  // however many read
  const double at_once =
      fills_ports ? 1.0 : layout.readers_per_host() * loader_threads(job).reading();
  const auto reading = [&](const std::string& from) {
    Client client = plant.reading_client(job.job.id, host, group, from, readers, layout.gds);
    plant.many_to_one(client, at_once);
    const FinerGrain finer = grains.of(job, from);
    client.turns = finer.turns;
    site.finer = std::max(site.finer, finer.groups);
    return client;
  };
  site.client = reading(storage);
  // Core time a byte costs on its way in: copies, and the client.    [host.md, eq. 3]
  const auto cores_for = [&](const std::string& id) {
    HostCores cores = plant.cores(host, group, id, readers);
    if (layout.gds)
      cores.rates = {};  // no core sees the bytes    [host.md, table 1]
    else if (plant.storage(id).client_limits().page_cache)
      cores.rates.process =
          in_series(cores.rates.process, dataset.direct ? p.cpu_direct : p.cpu_copy);
    return cores;
  };
  site.cores = cores_for(storage);
  if (dataset.also)
    site.also = OtherStore{&plant.storage(*dataset.also), reading(*dataset.also),
                           cores_for(*dataset.also), dataset.also_share.in(unit::ratio)};
  site.opens = plant.host_link(host, group, "opens");
  site.resources = &plant.resources();
  site.opens_resource = plant.resources().index("host." + host + ".opens");
  site.more_files = place.more_files;
  site.copy_resource = plant.resources().index("host." + host + ".gpu.copy");
  const LoaderPolicy& policy = loaders.policy;
  site.last_resource = policy.gpu_copies ? site.copy_resource : site.cores.resource;
  if (policy.pin) site.last_resource = plant.resources().index("job." + job.job.id + ".loader.pin");
  if (policy.gpu_decode > Seconds{})
    site.last_resource = plant.resources().index("host." + host + ".gpu.decode");
  if (policy.import_on) {
    site.imports = &plant.storage(*policy.import_on);
    site.imports_client = plant.job_client(job.job.id, host, group, *policy.import_on, readers);
    plant.many_to_one(site.imports_client, at_once);
  }
  if (loaders.cache.used)
    site.cache =
        std::make_unique<cache::DatasetCache>(loaders.cache, dataset, plant, host, group, context);
  if (loader.copy == "pinned" || (loader.copy == "gds" && !layout.gds)) site.gpu_copy = p.gpu_copy;
  if (loader.copy == "pageable") site.gpu_copy = p.gpu_copy_pageable;
  site.gpu_link = plant.host_link(host, group, "pcie.down");
  site.uplink_resource = plant.resources().index("host." + host + ".pcie.down");
  site.peers = batch_peers(layout, job);
  site.nvlink = plant.host_link(host, group, "nvlink");
  site.peer_rate = p.nvlink_payload();
  site.nvlink_resource = plant.resources().index("host." + host + ".nvlink");
  return site;
}

}  // namespace stallcast::models
