#include "models/dataload/loader_runtime.hpp"

#include <algorithm>
#include <cmath>

#include "engine/sim/join.hpp"

namespace stallcast::models {
namespace {

// Samples of a batch are read one after the other. Above this many they are merged into groups
// whose times add up the same; it bounds the events per batch.  [docs/models/dataloader.md,
// "grain"]
constexpr std::int64_t kGroups = 8;

}  // namespace

LoaderRuntime::LoaderRuntime(sim::Context& context, const LoaderParams& params, LoaderPolicy policy,
                             const DatasetParams& dataset, const SampleAccess& access,
                             LoaderSite site, base::RandomStream random)
    : context_(context),
      p_(params),
      policy_(policy),
      shared_{.context = context,
              .dataset = dataset,
              .access = access,
              .site = std::move(site),
              .ahead = access.ahead + access.ahead_batches * static_cast<double>(params.batch),
              .locked = access.one_lock && policy.split_batch,
              .random = random,
              .lock = sim::Slots(context, 1),
              .uncontended_cpu = {}},
      shared_indices_(context),
      arrival_(context) {
  const std::int64_t readers =
      policy_.split_batch ? parts() : std::max<std::int64_t>(p_.workers, 1);
  for (std::int64_t r = 0; r < readers; ++r)
    readers_.push_back(std::make_unique<SampleReader>(shared_));
  for (std::int64_t w = 0; w < std::min(p_.workers, builders()); ++w) {
    workers_.push_back(std::make_unique<Worker>(context));
    context_.spawn(work(w, policy_.fixed_assignment ? workers_.back()->indices : shared_indices_));
  }
}

void LoaderRuntime::begin_epoch(std::int64_t steps) {
  base_ += sent_;
  sent_ = received_ = 0;
  steps_ = steps;
  primed_ = false;
  done_.clear();
  const auto readers = static_cast<std::int64_t>(readers_.size());
  for (std::int64_t r = 0; r < readers; ++r) {
    // Batch i goes to worker i mod W; a part of a batch is in every batch.
    const std::int64_t batches = policy_.split_batch ? steps : (steps - r + readers - 1) / readers;
    const std::int64_t samples = policy_.split_batch ? samples_in(r) : p_.batch;
    readers_[static_cast<std::size_t>(r)]->begin_epoch(static_cast<double>(batches) *
                                                       static_cast<double>(samples));
  }
}

void LoaderRuntime::issue() {
  if (sent_ == steps_) return;
  const std::int64_t index = base_ + sent_++;
  const auto worker = static_cast<std::size_t>((index - base_) % builders());
  (policy_.fixed_assignment ? workers_[worker]->indices : shared_indices_).push(index);
}

sim::Task<void> LoaderRuntime::work(std::int64_t number, sim::Mailbox<std::int64_t>& indices) {
  PhaseClock& clock = workers_[static_cast<std::size_t>(number)]->clock;
  for (;;) {
    const std::int64_t index = co_await indices.pop();
    const Loaded bytes = co_await load(number, clock);
    done_[index] = bytes;
    arrival_.set();
  }
}

sim::Task<Loaded> LoaderRuntime::load(std::int64_t worker, PhaseClock& clock) {
  Loaded total;
  const std::int64_t parts = this->parts();
  std::vector<PhaseClock> others(static_cast<std::size_t>(parts - 1));
  std::vector<sim::Task<void>> tasks;
  for (std::int64_t part = 0; part < parts; ++part)
    tasks.push_back(load_part(part == 0 ? clock : others[static_cast<std::size_t>(part - 1)],
                              policy_.split_batch ? part : worker, part, total));
  co_await sim::join(context_, std::move(tasks));
  co_return total;
}

sim::Task<void> LoaderRuntime::load_part(PhaseClock& clock, std::int64_t reader, std::int64_t part,
                                         Loaded& total) {
  const std::int64_t mine = samples_in(part);
  const std::int64_t groups = std::min(mine, std::max<std::int64_t>(kGroups / parts(), 1));
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t samples = mine * (g + 1) / groups - mine * g / groups;
    total += co_await readers_[static_cast<std::size_t>(reader)]->read(samples, clock);
  }
}

WaitSplit LoaderRuntime::read_clocks(std::int64_t index) const {
  const Seconds now = context_.now();
  if (policy_.fixed_assignment)
    return workers_[static_cast<std::size_t>((index - base_) % builders())]->clock.read(now);
  WaitSplit all;
  for (const auto& worker : workers_) all += worker->clock.read(now);
  return all;
}

bool LoaderRuntime::arrived() const {
  return policy_.in_order ? done_.contains(base_ + received_) : !done_.empty();
}

sim::Task<Batch> LoaderRuntime::next() {
  Batch batch;
  if (p_.workers == 0) {  // t_step = t_load + t_compute: nothing overlaps
    PhaseClock clock;
    clock.enter(Phase::cpu, context_.now());
    const WaitSplit before = clock.read(context_.now());
    const Seconds began = context_.now();
    batch.bytes = co_await load(0, clock);
    batch.wait = clock.read(context_.now()).since(before, context_.now() - began);
  } else {
    if (!primed_) {
      // A new iterator starts its workers one after the other, then asks for W x prefetch batches.
      if (!started_ || !p_.persistent) {
        const Seconds starting = p_.start * static_cast<double>(p_.workers);
        co_await context_.sleep(starting);
        batch.wait.add(Phase::cpu, starting, kNoResource);
        started_ = true;
      }
      for (std::int64_t i = 0; i < builders() * p_.prefetch; ++i) issue();
      primed_ = true;
    }
    if (!arrived()) {
      const Seconds began = context_.now();
      const std::int64_t index = base_ + received_;
      const WaitSplit before = read_clocks(index);
      while (!arrived()) {
        arrival_.reset();
        co_await arrival_.wait();
      }
      batch.wait += read_clocks(index).since(before, context_.now() - began);
    }
    const auto found = policy_.in_order ? done_.find(base_ + received_) : done_.begin();
    batch.bytes = found->second;
    done_.erase(found);
    ++received_;
    issue();  // a slot is freed by consumption, never by completion
    co_await context_.sleep(p_.handover);
    batch.wait.add(Phase::cpu, p_.handover, shared_.site.cpu_resource);
  }
  if (shared_.site.gpu_copy.finite()) {
    const Seconds copy = batch.bytes.memory / shared_.site.gpu_copy;
    co_await context_.sleep(copy);
    batch.wait.add(Phase::data, copy, shared_.site.copy_resource);
  }
  co_return batch;
}

}  // namespace stallcast::models
