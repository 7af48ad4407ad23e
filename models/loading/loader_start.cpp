#include <algorithm>
#include <cmath>

#include "engine/sim/join.hpp"
#include "models/loading/loader_runtime.hpp"

/// What comes before the first batch: names are listed, workers started. docs/models/dataloader.md.
namespace stallcast::models {
namespace {

/// A spawned worker asks for so large a part of the files together that it has yet to open.
constexpr double kImportTurns = 16.0;

}  // namespace

// Every spawned worker opens the files of its modules by itself, one after the other: they take
// turns in line, the last of them for one file.    [docs/models/dataloader.md, eq. 12]
sim::Task<void> LoaderRuntime::import(PhaseClock& clock) {
  const LoaderSite& site = shared_.site;
  clock.enter(Phase::metadata, context_.now());
  Served opened;
  double left = site.imports != nullptr ? policy_.import_files : 0.0;
  while (left > 0.0) {
    const double files = std::min(left, std::max(1.0, std::floor(left / kImportTurns)));
    opened = co_await site.imports->open(site.imports_client, files);
    left -= files;
  }
  clock.enter(Phase::cpu, context_.now(), opened.limited_by);
  co_await shared_.site.cores.compute(policy_.import_time);
  clock.enter(Phase::cpu, context_.now(), site.cores.resource);
}

void LoaderRuntime::record(Recorder& recorder, const Timeline::Track& track) {
  if (pipeline_) return pipeline_->record(recorder, track);
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Timeline::Track mine = track;
    mine.name = "worker " + std::to_string(w);
    workers_[w].lane = &recorder.lane(mine);
    workers_[w].clock.record(*workers_[w].lane);
  }
}

// Every rank lists the names, then asks for attributes: chains of requests, some at one time.
//    [docs/models/formats.md, eq. 10]
sim::Task<void> LoaderRuntime::scan(Batch& batch) {
  scanned_ = true;
  const SampleAccess& access = shared_.access;
  if (access.listed <= 0.0 || !std::isfinite(access.listed)) co_return;
  const Seconds began = context_.now();
  const Served served = co_await look_up(access.listed);
  std::vector<sim::Task<void>> chains;
  const double at_once = std::min(access.stated, access.stated_at_once);
  for (double c = 0.0; c < at_once; ++c) chains.push_back(stat(access.stated / at_once));
  co_await sim::join(context_, std::move(chains));
  batch.scanned = context_.now() - began;
  batch.wait.add(Phase::metadata, batch.scanned, served.limited_by);
}

sim::Task<void> LoaderRuntime::stat(double files) { (void)co_await look_up(files); }

sim::Task<Served> LoaderRuntime::look_up(double files) {
  const LoaderSite& site = shared_.site;
  const double here = site.also ? 1.0 - site.also->share : 1.0;
  Client client = site.client;
  client.asker = Asker::at(client.asker, JobWork::start);
  const Served served = co_await site.storage->open(client, files * here);
  if (!site.also) co_return served;
  Client other = site.also->client;
  other.asker = client.asker;
  co_return co_await site.also->storage->open(other, files * (1.0 - here));
}

void LoaderRuntime::stop() {
  base_ += sent_;
  sent_ = received_ = 0;
}

// Page caches outlive processes: the epoch is not a new pass over the data.
void LoaderRuntime::take_over(const LoaderRuntime& before, bool cold) {
  const double passes = before.shared_.revisits.passes;
  shared_.revisits.passes = passes - 1.0;
  if (!shared_.site.cache) return;
  if (cold)
    shared_.site.cache->replace(passes);
  else if (before.shared_.site.cache)
    shared_.site.cache->take_over(*before.shared_.site.cache);
}

// Every rank lists and shuffles all names, then makes an iterator.
//    [docs/models/dataloader.md, eq. 9]
sim::Task<void> LoaderRuntime::open_epoch(Batch& batch) {
  listed_ = true;
  const double files = shared_.access.files_of(shared_.dataset.sample_count());
  const Seconds listing = std::isfinite(files) ? policy_.names * files : Seconds{};
  const Seconds began = context_.now();
  if (listing > Seconds{}) co_await shared_.site.cores.compute(listing);
  if (pipeline_) co_await context_.sleep(policy_.iterator);
  batch.starting = context_.now() - began;
  batch.wait.add(Phase::cpu, batch.starting, kNoResource);
}

// A new iterator starts its workers one after the other, then asks for W x prefetch batches.
sim::Task<void> LoaderRuntime::start(Batch& batch) {
  primed_ = true;
  if (!pipeline_ && (!started_ || !p_.persistent)) {
    const bool imports = policy_.import_time > Seconds{} || policy_.import_files > 0.0;
    const Seconds starting = p_.start * static_cast<double>(p_.workers);
    if (imports) {
      for (Worker& worker : workers_) {
        co_await context_.sleep(p_.start);
        worker.indices.push(kImportFirst);
      }
    } else {
      co_await context_.sleep(starting);
    }
    batch.wait.add(Phase::cpu, starting, kNoResource);
    batch.starting += starting;
    started_ = true;
  }
  for (std::int64_t i = 0; i < most(); ++i) issue(context_.now());
}

}  // namespace stallcast::models
