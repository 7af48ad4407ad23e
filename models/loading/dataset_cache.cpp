#include "models/loading/dataset_cache.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::models::cache {
namespace {

using namespace base;

// Nothing more is kept while the drives have not written what came so long before: assumption, as
// often as the kernel looks for what to write (dirty_writeback_centisecs 500).
constexpr Seconds kLongestBehind = Seconds::from(5.0, unit::s);

}  // namespace

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
  // Hosts are alike, so what a host gets from others it also gives to others.
  add(remote_, "nic.write");
  add(remote_, "nic.read");
  if (dataset.cache_medium == "nvme") {
    const std::string id = Plant::drives_of(host);
    drives_ = &plant.storage(id);
    on_drives_ = plant.client(host, group, id, 1.0);
    on_drives_.core = copy_;
  } else {
    add(local_, "memory.read");
    add(remote_, "memory.read");
  }
}

// A directory on drives has a size of its own.    [docs/models/cache.md, eq. 12]
void DatasetCache::beside_writes(Bytes bytes) {
  if (drives_ == nullptr) written_ = bytes / plan_.data;
}

void DatasetCache::replace(double passes) {
  ratio_ = HitRatio(plan_.eviction, plan_.cached, false);
  before_ = passes;
  plan_.warm = false;
  filled_ = {};
}

double DatasetCache::law(const Revisits& job) {
  Pattern pattern = plan_.pattern(job.pattern.share);
  pattern.written = written_;
  begin(job.passes);
  return ratio_.at({pattern, job.passes - before_});
}

double DatasetCache::found(const Revisits& job) {
  const double all = law(job);
  return all * kept();
}

// All that was to come in in the first epoch should be there.    [cache.md, eq. 15]
void DatasetCache::begin(double passes) {
  if (drives_ == nullptr || filled_.passes == passes) return;
  if (!filled_.passes) filled_.found = plan_.warm || passes > before_ ? 1.0 : 0.0;
  if (filled_.passes == before_) filled_.wanted = filled_.offered;
  filled_.before = filled_.taken;
  filled_.passes = passes;
}

sim::Task<Served> DatasetCache::stream(const Client& client, const std::vector<sim::LinkId>& path,
                                       Bytes bytes, double ranges) {
  if (drives_ != nullptr) {
    Client reader = on_drives_;
    reader.members = client.members;
    reader.read_path.insert(reader.read_path.end(), path.begin(), path.end());
    co_return co_await drives_->read(reader, {.bytes = bytes, .files = ranges, .direct = true});
  }
  const sim::FlowOutcome flow = co_await context_.transfer(
      {.path = path, .bytes = bytes, .members = client.members, .cap = copy_});
  co_return Served{flow.binding.valid() ? resources_.of_link[flow.binding.index] : copy_resource_};
}

// One after the other, as a reader does.    [docs/models/cache.md, eq. 11]
sim::Task<Served> DatasetCache::read(const Client& client, Bytes bytes, double ranges) {
  const double remote = plan_.remote.in(unit::ratio);
  Served served;
  if (remote < 1.0)
    served = co_await stream(client, local_, bytes * (1.0 - remote), ranges * (1.0 - remote));
  if (remote > 0.0) {
    co_await context_.sleep(round_trip_ * (ranges * remote));
    served = co_await stream(client, remote_, bytes * remote, ranges * remote);
  }
  co_return served;
}

void DatasetCache::keep(const Client& client, Bytes bytes, const Revisits& job) {
  if (drives_ == nullptr) return;
  begin(job.passes);
  // Of the share h that stays, what is written or waits for it comes in no more; pinned data are
  // written once, others as they are missed.
  const bool pinned = plan_.eviction == Eviction::none;
  const double lasts = pinned ? std::min(1.0, plan_.cached.in(unit::ratio)) : law(job);
  const double missed = 1.0 - lasts * kept();
  const double share = ((pinned ? lasts : 1.0) - lasts * coming()) / missed;
  if (missed <= 0.0 || share <= 0.0) return;
  const Fill next{context_.now(), client.members, bytes * share};
  filled_.offered += next.bytes;
  if (!fills_.empty() && next.came - fills_.front().came > kLongestBehind) return;
  filled_.taken += next.bytes;
  fills_.push_back(next);
  if (!std::exchange(filling_, true)) context_.spawn(fill());
}

// One after the other, as the kernel's writeback, so that reads of the same drives have their
// share.
sim::Task<void> DatasetCache::fill() {
  while (!fills_.empty()) {
    const Fill next = fills_.front();
    co_await write(next.members, next.bytes);
    filled_.written += next.bytes;
    fills_.pop_front();
  }
  filling_ = false;
}

void DatasetCache::describe(sim::Ledger& ledger) {
  ledger.state(kept());
  ledger.state(fills_.size());
  for (const Fill& fill : fills_) {
    ledger.due(fill.came);
    ledger.state(fill.bytes);
  }
  ledger.count(filled_.offered);
  ledger.count(filled_.taken);
  ledger.count(filled_.written);
}

sim::Task<void> DatasetCache::write(double members, Bytes bytes) {
  Client writer = on_drives_;
  writer.members = members;
  co_await drives_->write(writer, {.bytes = bytes, .direct = true});
}

}  // namespace stallcast::models::cache
