#include "models/loading/cache_plan.hpp"

#include <algorithm>
#include <map>

#include "models/checkpoint/layout.hpp"
#include "models/contract/access.hpp"
#include "models/contract/rows.hpp"

namespace stallcast::models::cache {
namespace {

// Batches in page-locked memory of one rank: one is being copied while the next is filled.
constexpr double kPinnedBatches = 2.0;

Eviction eviction(const std::string& policy) {
  if (policy == "lru") return Eviction::lru;
  return policy == "random" ? Eviction::random : Eviction::none;
}

bool keeps(const DatasetParams& dataset) {
  const bool bypassed = dataset.direct && dataset.cache_medium == "memory";
  return dataset.cached() && !bypassed;
}

std::string name_of(const JobDesign& job, const DatasetParams& dataset) {
  return dataset.name.value_or("job " + job.job.id);
}

/// What one host comes back to of a job's data set. REQUIRES: it is kept.    [cache.md, eq. 10]
Bytes seen_by_host(const JobDesign& job, const DatasetParams& dataset, double hosts) {
  const bool all = dataset.shuffle == "global" && dataset.cache_scope == "node";
  const double share = sample_access(job).touched / (all ? 1.0 : hosts);
  return dataset.sample * (dataset.sample_count() * share);
}

/// What a job takes of the memory of one host.    [docs/models/cache.md, eq. 10]
Bytes taken_in_host(const JobDesign& job, const HostParams& host, const RankLayout& layout) {
  const TrainingMemory training =
      training_memory(job, host, layout.ranks_per_host(), layout.readers_per_host());
  const Bytes taken = training.processes + training.batches;
  if (!job.checkpoint) return taken;
  const CheckpointParams save = checkpoint_params(*job.checkpoint);
  const CheckpointLayout saved = checkpoint_layout(
      save, model_params(job.model), job_params(job.job), layout.ranks, layout.ranks_per_host());
  // The copy of one that training waits for is there no longer than that.
  if (!save.ends_in_memory() && synchronous(*job.checkpoint, saved, layout.spread(), host.memory))
    return taken;
  return taken + staged_per_host(save, saved.size() / layout.hosts, saved.size());
}

}  // namespace

TrainingMemory training_memory(const JobDesign& job, const HostParams& host, double ranks,
                               double readers) {
  TrainingMemory out;
  double processes = ranks;
  if (job.dataset) {
    const DatasetParams dataset = dataset_params(*job.dataset);
    const LoaderParams loader = loader_params(*job.loader);
    const SampleAccess access = sample_access(job);
    const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
    const Bytes batch = dataset.tensor.value_or(dataset.sample * access.expansion) *
                        static_cast<double>(loader.batch);
    const double ahead =  // of processes in /dev/shm
        loader.workers > 0 ? static_cast<double>(policy.outstanding(loader)) : 0.0;
    const double pinned = loader.copy == "pinned" ? kPinnedBatches : 0.0;
    out.batches = batch * ((ahead + pinned) * readers);
    processes += static_cast<double>(policy.processes(loader)) * readers;
  }
  out.processes = host.memory_process * processes;
  return out;
}

Fraction CachePlan::most() const {
  if (!used) return {};
  return std::max(warm_hit(eviction, cached, pattern(1.0)),
                  std::min(cached, Fraction::from(1.0, unit::ratio)));
}

Bytes page_cache_budget(const Design& design, const JobDesign& job, const Plant& plant) {
  const std::string id = job_params(job.job).hosts;
  const HostParams& host = plant.host(id);
  std::vector<double> taken(design.jobs.size());
  for (std::size_t j = 0; j < taken.size(); ++j)
    if (const JobDesign& other = design.jobs[j]; job_params(other.job).hosts == id)
      taken[j] = taken_in_host(other, host, plant.layout(other.job.id)).in(unit::B);
  Bytes left = host.memory - host.memory_reserved;
  for (const std::size_t j : plant.order().beside(plant.order().number_of(job.job.id), taken))
    left -= Bytes::from(taken[j], unit::B);
  return std::max(left, Bytes{});
}

CachePlan cache_plan(const Design& design, const JobDesign& job, const Plant& plant) {
  const DatasetParams dataset = dataset_params(*job.dataset);
  CachePlan out;
  if (!keeps(dataset)) return out;
  const std::string host = job_params(job.job).hosts;
  const bool all = dataset.cache_scope == "cooperative";
  const RankLayout& layout = plant.layout(job.job.id);
  const double hosts = all ? layout.hosts : layout.reading_hosts();
  out.used = true;
  out.eviction = eviction(dataset.cache_policy);
  out.warm = dataset.cache_warm;
  out.in_order = dataset.shuffle == "none";
  out.readers = 0.0;
  std::vector<double> back(design.jobs.size());  // what a host comes back to, of each
  for (std::size_t j = 0; j < back.size(); ++j) {
    const JobDesign& other = design.jobs[j];
    if (!other.dataset || job_params(other.job).hosts != host) continue;
    const DatasetParams theirs = dataset_params(*other.dataset);
    if (keeps(theirs) && theirs.cache_medium == dataset.cache_medium)
      back[j] = seen_by_host(other, theirs, hosts).in(unit::B);
  }
  std::map<std::string, Bytes> seen;
  for (const std::size_t j : plant.order().beside(plant.order().number_of(job.job.id), back)) {
    if (!(back[j] > 0.0)) continue;
    const JobDesign& other = design.jobs[j];
    const DatasetParams theirs = dataset_params(*other.dataset);
    if (name_of(other, theirs) == name_of(job, dataset) &&
        (!out.in_order || theirs.shuffle == "none"))
      out.readers += 1.0;
    Bytes& most = seen[name_of(other, theirs)];
    most = std::max(most, Bytes::from(back[j], unit::B));
  }
  for (const auto& [name, bytes] : seen) out.data += bytes;
  // In the page cache, or where the storage's client keeps it.    [gpfs.md, eq. 6]
  const auto in_memory = [&] {
    const std::optional<Bytes> own = plant.storage(dataset.on).client_limits().own_cache;
    return own ? *own : page_cache_budget(design, job, plant);
  };
  out.size = dataset.cache_size.value_or(dataset.cache_medium == "memory" ? in_memory() : Bytes{});
  const SampleAccess access = sample_access(job);
  // A directory on drives may have no other limit.
  const bool limited = dataset.cache_size || dataset.cache_medium == "memory";
  if (access.keep) out.size = limited ? std::min(out.size, *access.keep) : *access.keep;
  out.cached = Fraction::from(out.size / out.data, unit::ratio);
  // A node that is dealt another part each epoch sees 1/N of the data set in one.
  if (dataset.shuffle == "global" && dataset.cache_scope == "node") out.share_of_node = 1.0 / hosts;
  if (dataset.cache_scope == "cooperative")
    out.remote = Fraction::from((hosts - 1.0) / hosts, unit::ratio);
  return out;
}

}  // namespace stallcast::models::cache
