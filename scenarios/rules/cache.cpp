#include <set>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "models/contract/rows.hpp"
#include "models/plant/host_path.hpp"
#include "scenarios/rules/support.hpp"

/// Rules of caches: storage systems in front of others, and what hosts keep of a data set.
namespace stallcast::scenarios {
namespace {

// Whether every host has a part of its own, which no cache server reaches.
bool in_hosts(const Component& storage) {
  return complete(models::Role::storage, storage) &&
         models::storage_row(storage.kind).make(storage)->local();
}

// The storage system a cache stands in front of exists, and does not in turn rest on the cache.
void check_over(const Design& design, const Component& storage, Diagnostics& report) {
  if (storage.find("over") == nullptr) return;
  check_reference(storage, "over", ids_of(design.storage), "storage system", report);
  const Component* behind = design.find_storage(storage.find("over")->text);
  if (behind != nullptr && in_hosts(*behind))
    report.error("rule", pointer_of(storage, "over"),
                 "\"" + behind->id + "\" is inside the hosts, where no cache server reaches it",
                 "name a storage system on the network, or use the data set's \"cache\"");
  std::set<std::string> seen{storage.id};
  const Component* at = &storage;
  while (at != nullptr && at->find("over") != nullptr) {
    const std::string& next = at->find("over")->text;
    if (next == storage.id) {
      report.error("rule", pointer_of(storage, "over"),
                   "storage \"" + storage.id + "\" is a cache in front of itself",
                   "\"over\" names the storage system that holds the data");
      return;
    }
    if (!seen.insert(next).second) return;  // a ring further behind is its own members' fault
    at = design.find_storage(next);
  }
}

// A cache that holds no whole piece holds nothing.
void check_pieces(const Component& data, std::string_view key, Diagnostics& report) {
  const Value* size = data.find(key);
  if (size == nullptr) return;
  for (const std::string_view unit : {"shard", "row_group", "sample"}) {
    const Value* piece = data.find(unit);
    if (piece == nullptr || size->number >= piece->number) continue;
    report.error("rule", pointer_of(data, key),
                 "a cache of " + base::print_quantity(size->number, Dimension::bytes) +
                     " does not hold one " +
                     (unit == "row_group" ? "row group" : std::string(unit)) + " of " +
                     base::print_quantity(piece->number, Dimension::bytes),
                 "raise \"" + std::string(key) + "\", or lower \"" + std::string(unit) + "\"");
    return;
  }
}

void check_memory(const Component& data, const Component& host, Diagnostics& report) {
  const Value* size = data.find("cache.size");
  const Value* memory = host.find("memory.size");
  const Value* limit = data.find("cache_limit");
  if (limit != nullptr && memory != nullptr && limit->number > memory->number)
    report.warn("rule", pointer_of(data, "cache_limit"),
                "a limit of " + base::print_quantity(limit->number, Dimension::bytes) +
                    " limits nothing: host class \"" + host.id + "\" has " +
                    base::print_quantity(memory->number, Dimension::bytes) + " of memory",
                "where shards are kept on drives, write \"cache\": { \"medium\": \"nvme\" }");
  if (size != nullptr && memory != nullptr && size->number > memory->number)
    report.error("rule", pointer_of(data, "cache.size"),
                 "a cache of " + base::print_quantity(size->number, Dimension::bytes) +
                     " is larger than the " +
                     base::print_quantity(memory->number, Dimension::bytes) +
                     " of memory of host class \"" + host.id + "\"",
                 "leave \"cache.size\" out: it follows from the memory");
  if (number(data, "direct") != 0.0)
    report.warn("rule", pointer_of(data, "direct"), "O_DIRECT goes past the page cache",
                "the cache has no effect: set \"direct\": false, or \"cache.medium\": \"nvme\"");
}

void check_cached_drives(const Component& data, const Component& host, Diagnostics& report) {
  if (lacks(host, "nvme.read", report) || lacks(host, "nvme.write", report))
    report.error("rule", pointer_of(data, "cache.medium"),
                 "host class \"" + host.id + "\" has no local NVMe",
                 "add \"nvme\": { \"read\": \"12 GB/s\", \"write\": \"8 GB/s\" } to it");
  if (lacks(data, "cache.size", report) && lacks(data, "cache_limit", report))
    report.error("rule", pointer_of(data, "cache.medium"), "a cache on local drives needs its size",
                 "add \"cache.size\": \"4 TB\"");
}

// A profile or a product fills in what the cache would be like; who writes it means to have one.
void check_unused(const Component& data, std::string_view key, Diagnostics& report) {
  const std::string whole = "cache." + std::string(key);
  if (!is_chosen(models::Role::dataset, data, whole)) return;
  report.warn("rule", pointer_of(data, whole),
              "no cache is used, so its " + std::string(key) + " has no effect",
              "add \"cache\": { \"policy\": \"lru\" }");
}

// GPUDirect Storage moves data from the storage to GPUs, past what hosts keep, in memory or on
// drives.
void check_passed_by(const JobDesign& job, const Component& host, Diagnostics& report) {
  if (!complete(models::Role::host, host) || !complete(models::Role::dataset, *job.dataset) ||
      !complete(models::Role::loader, *job.loader) || !models::asks_for_gds(job) ||
      !models::gds_obstacle(models::host_params(host), job).empty())
    return;
  report.warn("rule", pointer_of(*job.loader, "copy"),
              "GPUDirect Storage reads past what hosts keep of the data set",
              "the cache has no effect: leave it out, or set \"copy\": \"pinned\"");
}

}  // namespace

void check_dataset_cache(const Design& design, const JobDesign& job, Diagnostics& report) {
  const Component& data = *job.dataset;
  const Component* host = host_of(design, job);
  check_pieces(data, "cache_limit", report);
  const Value* policy = data.find("cache.policy");
  if (policy == nullptr) return;
  if (policy->text == "none") {
    for (const std::string_view key : {"size", "medium", "scope", "warm", "opens", "copy"})
      check_unused(data, key, report);
    // MDS has its limit with or without a cache; a single epoch comes back to nothing.
    const Value* epochs = job.job.find("epochs");
    if (data.find("cache_limit") != nullptr && (epochs == nullptr || epochs->number > 1.0))
      report.warn("rule", pointer_of(data, "cache_limit"),
                  "every epoch downloads all shards again: nothing is kept that it could limit",
                  "add \"cache\": { \"policy\": \"lru\" }");
    return;
  }
  check_pieces(data, "cache.size", report);
  const Value* medium = data.find("cache.medium");
  if (host == nullptr || medium == nullptr) return;
  if (medium->text == "memory")
    check_memory(data, *host, report);
  else
    check_cached_drives(data, *host, report);
  check_passed_by(job, *host, report);
}

void check_caches(const Design& design, Diagnostics& report) {
  for (const Component& storage : design.storage) check_over(design, storage, report);
}

}  // namespace stallcast::scenarios
