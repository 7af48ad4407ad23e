#include "models/dataload/loader_runtime.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/sim/join.hpp"

namespace stallcast::models {
namespace {

// Samples of a batch are read one after the other. Above this many they are merged into groups
// whose times add up the same; it bounds the events per batch.  [docs/models/dataloader.md,
// "grain"]
constexpr std::int64_t kGroups = 8;
// In a worker's queue: import first.
constexpr std::int64_t kImport = -1;

}  // namespace

LoaderRuntime::LoaderRuntime(sim::Context& context, const LoaderParams& params,
                             const LoaderPolicy& policy, const DatasetParams& dataset,
                             const SampleAccess& access, LoaderSite site, double ranks,
                             base::RandomStream random)
    : context_(context),
      p_(params),
      policy_(policy),
      shared_{.context = context,
              .dataset = dataset,
              .access = access,
              .site = std::move(site),
              .ahead = access.ahead + access.ahead_batches * static_cast<double>(params.batch),
              .locked = access.one_lock && policy.split_batch,
              .shuffle = policy.shuffle,
              .shuffle_first = policy.shuffle_first,
              .random = random,
              .lock = sim::Slots(context, 1),
              .revisits = {.pattern = {}, .passes = -1.0},
              .uncontended_cpu = {}},
      ranks_(ranks),
      shared_indices_(context),
      to_pin_(context),
      arrival_(context) {
  const std::int64_t readers =
      policy_.split_batch ? parts() : std::max<std::int64_t>(p_.workers, 1);
  for (std::int64_t r = 0; r < readers; ++r)
    readers_.push_back(std::make_unique<SampleReader>(shared_));
  for (std::int64_t w = 0; w < std::min(p_.workers, builders()); ++w) {
    workers_.push_back(std::make_unique<Worker>(context));
    context_.spawn(work(w, policy_.fixed_assignment ? workers_.back()->indices : shared_indices_));
  }
  if (policy_.pin && p_.workers > 0) context_.spawn(pin());
}

double LoaderRuntime::steps_per_epoch() const {
  const double samples = shared_.dataset.sample_count(), batch = static_cast<double>(p_.batch);
  // S = floor(samples / (batch N)): the rest of an epoch is dropped (drop_last); of an iterable
  // data set each worker drops its own.    [docs/models/dataloader.md, eq. 3]
  if (!policy_.iterable) return std::floor(samples / (batch * ranks_));
  double steps = 0.0;
  for (const double mine : deal(samples, shared_.access.per_file(), ranks_, p_.workers))
    steps += std::floor(mine / batch + 1e-9);
  return steps;
}

void LoaderRuntime::begin_epoch(std::int64_t steps) {
  base_ += sent_;
  sent_ = received_ = 0;
  steps_ = steps;
  primed_ = false;
  next_worker_ = 0;
  // Passes over the data set, in whole or as far as the job's steps go.
  shared_.revisits.passes += 1.0;
  shared_.revisits.pattern.share =
      std::min(1.0, static_cast<double>(steps) * static_cast<double>(p_.batch) * ranks_ /
                        shared_.dataset.sample_count());
  done_.clear();
  owner_.clear();
  ended_.clear();
  const auto readers = static_cast<std::int64_t>(readers_.size());
  const std::vector<double> mine =
      deal(shared_.dataset.sample_count(), shared_.access.per_file(), ranks_, readers);
  for (std::int64_t r = 0; r < readers; ++r) {
    const auto at = static_cast<std::size_t>(r);
    // Batch i goes to worker i mod W; a part of a batch is in every batch.
    const std::int64_t batches = policy_.split_batch ? steps : (steps - r + readers - 1) / readers;
    const std::int64_t samples = policy_.split_batch ? samples_in(r, p_.batch) : p_.batch;
    readers_[at]->begin_epoch(
        policy_.iterable ? mine[at] : static_cast<double>(batches) * static_cast<double>(samples));
    if (at >= workers_.size()) continue;
    workers_[at]->tasks = 0;
    workers_[at]->dry = false;
    workers_[at]->left = policy_.iterable ? mine[at] : std::numeric_limits<double>::infinity();
  }
}

void LoaderRuntime::give(std::int64_t worker) {
  const std::int64_t index = base_ + sent_++;
  const auto at = static_cast<std::size_t>(worker);
  owner_[index] = at;
  ++workers_[at]->tasks;
  workers_[at]->indices.push(index);
}

// The next index goes to the next worker that is not dry; without order, to one that has fewer than
// its share of W x prefetch.    [PyTorch 2.6 dataloader.py, _try_put_index]
void LoaderRuntime::issue() {
  if (sent_ == steps_ && !policy_.iterable) return;
  if (!policy_.fixed_assignment) {
    shared_indices_.push(base_ + sent_++);
    return;
  }
  const auto alive = std::count_if(workers_.begin(), workers_.end(),
                                   [](const auto& worker) { return !worker->dry; });
  for (std::size_t tried = 0; tried < workers_.size(); ++tried) {
    const std::size_t at = next_worker_++ % workers_.size();
    const Worker& worker = *workers_[at];
    if (worker.dry) continue;
    if (!policy_.in_order && worker.tasks >= builders() * p_.prefetch / alive) continue;
    give(static_cast<std::int64_t>(at));
    return;
  }
}

sim::Task<void> LoaderRuntime::work(std::int64_t number, sim::Mailbox<std::int64_t>& indices) {
  Worker& self = *workers_[static_cast<std::size_t>(number)];
  bool ended = false;  // its files are read, and it reported so
  std::int64_t epoch = 0;
  for (;;) {
    const std::int64_t index = co_await indices.pop();
    if (index == kImport) {
      co_await import(self.clock);
      continue;
    }
    if (epoch != base_) ended = false;
    epoch = base_;
    if (ended || index < base_) continue;
    const auto samples =
        static_cast<std::int64_t>(std::min(static_cast<double>(p_.batch), self.left + 1e-6));
    self.left -= static_cast<double>(samples);
    Loaded bytes;
    if (samples > 0) bytes = co_await load(number, samples, self.clock);
    if (index < base_) continue;  // the epoch ended without it
    if (samples == p_.batch) {
      hand_over(index, bytes);
      continue;
    }
    // A batch that is not full is dropped with the samples that were read for it.
    ended = true;
    ended_.push_back(static_cast<std::size_t>(number));
    arrival_.set();
  }
}

void LoaderRuntime::hand_over(std::int64_t index, Loaded bytes) {
  if (policy_.pin) {
    to_pin_.push({index, bytes});
    return;
  }
  done_[index] = {bytes, {}};
  arrival_.set();
}

// The pin_memory thread takes batches as they come, and hands them on in its own time.
//    [docs/models/dataloader.md, eq. 2]
sim::Task<void> LoaderRuntime::pin() {
  for (;;) {
    const auto [index, bytes] = co_await to_pin_.pop();
    const Seconds time =
        p_.handover * policy_.pin_takes.in(unit::ratio) + bytes.memory / policy_.pin_rate;
    co_await context_.sleep(time);
    if (index < base_) continue;
    done_[index] = {bytes, time};
    arrival_.set();
  }
}

// Every spawned worker opens the files of its modules by itself, one after the other.
sim::Task<void> LoaderRuntime::import(PhaseClock& clock) {
  const LoaderSite& site = shared_.site;
  clock.enter(Phase::metadata, context_.now());
  Served opened;
  if (site.imports != nullptr)
    opened = co_await site.imports->open(site.imports_client, policy_.import_files);
  clock.enter(Phase::cpu, context_.now(), opened.limited_by);
  co_await shared_.compute(policy_.import_time);
  clock.enter(Phase::cpu, context_.now(), site.cpu_resource);
}

sim::Task<Loaded> LoaderRuntime::load(std::int64_t worker, std::int64_t samples,
                                      PhaseClock& clock) {
  Loaded total;
  const std::int64_t parts = this->parts();
  std::vector<PhaseClock> others(static_cast<std::size_t>(parts - 1));
  std::vector<sim::Task<void>> tasks;
  const std::int64_t groups = std::max<std::int64_t>(kGroups / parts, 1);
  for (std::int64_t part = 0; part < parts; ++part)
    tasks.push_back(load_part(part == 0 ? clock : others[static_cast<std::size_t>(part - 1)],
                              policy_.split_batch ? part : worker, samples_in(part, samples),
                              groups, total));
  co_await sim::join(context_, std::move(tasks));
  co_return total;
}

sim::Task<void> LoaderRuntime::load_part(PhaseClock& clock, std::int64_t reader,
                                         std::int64_t samples, std::int64_t groups, Loaded& total) {
  groups = std::min(samples, groups);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t some = samples * (g + 1) / groups - samples * g / groups;
    total += co_await readers_[static_cast<std::size_t>(reader)]->read(some, clock);
  }
}

WaitSplit LoaderRuntime::read_clocks() const {
  const Seconds now = context_.now();
  const auto owner = owner_.find(base_ + received_);
  if (policy_.in_order && !policy_.iterable && owner != owner_.end())
    return workers_[owner->second]->clock.read(now);
  WaitSplit all;
  for (const auto& worker : workers_) all += worker->clock.read(now);
  return all;
}

bool LoaderRuntime::arrived() const {
  return policy_.in_order ? done_.contains(base_ + received_) : !done_.empty();
}

// What a dry worker was asked for never comes: an index in its place goes to another.
//    [PyTorch dataloader.py, _next_data and _try_put_index]
void LoaderRuntime::skip_dry() {
  for (const std::size_t at : ended_) {
    workers_[at]->dry = true;
    issue();
  }
  ended_.clear();
  if (!policy_.in_order) return;
  for (auto owner = owner_.find(base_ + received_);
       owner != owner_.end() && workers_[owner->second]->dry && !done_.contains(owner->first);
       owner = owner_.find(base_ + received_)) {
    owner_.erase(owner);
    ++received_;
  }
}

// A new iterator starts its workers one after the other, then asks for W x prefetch batches.
sim::Task<void> LoaderRuntime::start(WaitSplit& wait) {
  primed_ = true;
  if (!started_ || !p_.persistent) {
    const bool imports = policy_.import_time > Seconds{} || policy_.import_files > 0.0;
    const Seconds starting = p_.start * static_cast<double>(p_.workers);
    if (imports) {
      for (const auto& worker : workers_) {
        co_await context_.sleep(p_.start);
        worker->indices.push(kImport);
      }
    } else {
      co_await context_.sleep(starting);
    }
    wait.add(Phase::cpu, starting, kNoResource);
    started_ = true;
  }
  for (std::int64_t i = 0; i < builders() * p_.prefetch; ++i) issue();
}

// t_step = t_load + t_compute: nothing overlaps.
sim::Task<void> LoaderRuntime::load_here(Batch& batch) {
  PhaseClock clock;
  clock.enter(Phase::cpu, context_.now());
  const WaitSplit before = clock.read(context_.now());
  const Seconds began = context_.now();
  batch.bytes = co_await load(0, p_.batch, clock);
  if (policy_.pin) co_await context_.sleep(batch.bytes.memory / policy_.pin_rate);
  batch.wait = clock.read(context_.now()).since(before, context_.now() - began);
}

sim::Task<void> LoaderRuntime::receive(Batch& batch) {
  if (!primed_) co_await start(batch.wait);
  skip_dry();
  const Seconds began = context_.now();
  const WaitSplit before = read_clocks();
  while (!arrived()) {
    arrival_.reset();
    co_await arrival_.wait();
    skip_dry();
  }
  const auto found = policy_.in_order ? done_.find(base_ + received_) : done_.begin();
  if (const Seconds waited = context_.now() - began; waited > Seconds{}) {
    // The end of the wait may have been the copy to pinned memory, not the loading.
    const Seconds pinning = std::min(found->second.pinned, waited);
    batch.wait += read_clocks().since(before, waited - pinning);
    batch.wait.add(Phase::cpu, pinning, shared_.site.cpu_resource);
  }
  batch.bytes = found->second.bytes;
  if (const auto owner = owner_.find(found->first); owner != owner_.end()) {
    --workers_[owner->second]->tasks;
    owner_.erase(owner);
  }
  done_.erase(found);
  ++received_;
  issue();  // a slot is freed by consumption, never by completion
  const double left = policy_.pin ? 1.0 - policy_.pin_takes.in(unit::ratio) : 1.0;
  co_await context_.sleep(p_.handover * left);
  batch.wait.add(Phase::cpu, p_.handover * left, shared_.site.cpu_resource);
}

sim::Task<Batch> LoaderRuntime::next() {
  Batch batch;
  if (p_.workers == 0)
    co_await load_here(batch);
  else
    co_await receive(batch);
  if (shared_.site.gpu_copy.finite()) {
    const Seconds copy = batch.bytes.memory / shared_.site.gpu_copy;
    co_await context_.sleep(copy);
    batch.wait.add(Phase::data, copy, shared_.site.copy_resource);
  }
  co_return batch;
}

}  // namespace stallcast::models
