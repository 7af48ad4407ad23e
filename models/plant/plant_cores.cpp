#include <algorithm>

#include "models/contract/access.hpp"
#include "models/contract/checkpoint.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/plant.hpp"

/// Who may wait for cores of a host.
namespace stallcast::models {
namespace {

/// Cores for all the work that the ports of a host bring to threads beside the processes.
double brought_by_ports(const HostParams& host, const CoreRates& rates) {
  return host.nic() / rates.beside;
}

}  // namespace

// Each process or thread of a loader keeps at most one core busy, those of the clients as many as a
// host's network brings work for, in each direction.    [docs/models/host.md, eq. 2]
void Plant::count_cores(const Design& design) {
  std::map<std::string, double> reading, writing;  // threads alongside the processes
  const auto most = [&](std::map<std::string, double>& cores, const std::string& host,
                        const std::string& storage) {
    cores[host] = std::max(cores[host],
                           brought_by_ports(hosts_.at(host).params, core_rates_to(host, storage)));
  };
  std::map<std::string, std::vector<double>> processes, moving;  // of each job
  for (std::size_t j = 0; j < design.jobs.size(); ++j) {
    const JobDesign& job = design.jobs[j];
    const std::string host = job_params(job.job).hosts;
    const RankLayout& layout = layouts_.at(job.job.id);
    double& busy = processes.try_emplace(host, design.jobs.size()).first->second[j];
    if (job.loader) {
      const LoaderThreads threads = loader_threads(job);
      busy += layout.ranks_per_host() + layout.readers_per_host() * threads.computing();
      moving.try_emplace(host, design.jobs.size()).first->second[j] =
          layout.readers_per_host() * (threads.on_cores() - threads.computing());
      for (const DatasetParams::Place& place : dataset_params(*job.dataset).places())
        most(reading, host, place.storage);
    }
    if (!job.checkpoint) continue;
    const CheckpointParams saves = checkpoint_params(*job.checkpoint);
    if (saves.copies_to_peers())  // that take in as much
      for (auto* way : {&reading, &writing}) most(*way, host, std::string(kPeerMemory));
    if (!saves.ends_in_memory()) {
      busy += layout.ranks_per_host() * static_cast<double>(saves.threads);
      most(writing, host, saves.to);
    }
  }
  for (const auto& [id, each] : processes)  // that run at one time
    hosts_.at(id).busy += order_.most_at_one_time(each);
  for (const Component& stage : design.stages) {
    const Value *hosts = stage.find("hosts"), *workers = stage.find("workers");
    if (hosts == nullptr || workers == nullptr || stage.find("cpu") == nullptr) continue;
    hosts_.at(hosts->text).busy += workers->number;
  }
  for (auto& [id, host] : hosts_) {
    host.processes = host.busy;
    host.busy += reading[id] + writing[id];
    if (moving.contains(id)) host.busy += order_.most_at_one_time(moving[id]);
  }
}

CoreRates Plant::core_rates_to(const std::string& host, const std::string& storage) const {
  if (storage == kPeerMemory)
    return core_rates(hosts_.at(host).params, {}, fabric_.params().technology == "tcp");
  const StorageModel& model = *storages_.at(storage);
  const bool tcp = fabric_.params().technology == "tcp" && !model.local();
  return core_rates(hosts_.at(host).params, model.client_limits(), tcp);
}

HostCpu Plant::cpu(const std::string& host, std::size_t group) {
  const HostClass& there = hosts_.at(host);
  const double cores = there.params.loader_cores();
  if (there.busy <= cores) return {};
  // Where processes alone are more, they will wait.
  if (!presumed_.cores_suffice || there.processes > cores)
    return {.link = host_link(host, group, "cpu")};
  return {.meter = &meters_.at(group_name(host, group))};
}

HostCores Plant::cores(const std::string& host, std::size_t group, const std::string& storage,
                       double members) {
  const HostClass& there = hosts_.at(host);
  const double hosts = there.cut.groups[group].hosts;
  const CoreRates rates = core_rates_to(host, storage);
  return {.context = context_,
          .cpu = cpu(host, group),
          .resource = resources_.index("host." + host + ".cpu"),
          .members = members,
          .rates = rates,
          .beside_most = hosts * brought_by_ports(there.params, rates)};
}

}  // namespace stallcast::models
