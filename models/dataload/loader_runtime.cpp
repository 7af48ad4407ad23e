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
      dataset_(dataset),
      access_(access),
      site_(std::move(site)),
      random_(random),
      shared_(context),
      arrival_(context) {
  for (std::int64_t w = 0; w < std::min(p_.workers, builders()); ++w) {
    workers_.push_back(std::make_unique<Worker>(context));
    Worker& worker = *workers_.back();
    context_.spawn(work(worker, policy_.fixed_assignment ? worker.indices : shared_));
  }
}

void LoaderRuntime::begin_epoch(std::int64_t steps) {
  base_ += sent_;
  sent_ = received_ = 0;
  steps_ = steps;
  primed_ = false;
  done_.clear();
}

void LoaderRuntime::issue() {
  if (sent_ == steps_) return;
  const std::int64_t index = base_ + sent_++;
  const auto worker = static_cast<std::size_t>((index - base_) % builders());
  (policy_.fixed_assignment ? workers_[worker]->indices : shared_).push(index);
}

sim::Task<void> LoaderRuntime::work(Worker& worker, sim::Mailbox<std::int64_t>& indices) {
  for (;;) {
    const std::int64_t index = co_await indices.pop();
    const Bytes bytes = co_await load(worker.clock);
    done_[index] = bytes;
    arrival_.set();
  }
}

sim::Task<void> LoaderRuntime::compute(Seconds time) {
  if (!site_.cpu.valid()) {
    uncontended_cpu_ += time * site_.client.members;
    co_await context_.sleep(time);
    co_return;
  }
  // A core is 1 B/s of the CPU link; no task uses more than one core.
  co_await context_.transfer({.path = {&site_.cpu, 1},
                              .bytes = Bytes::from(time.in(unit::s), unit::B),
                              .members = site_.client.members,
                              .cap = Rate::from(1.0, unit::Bps)});
}

sim::Task<Bytes> LoaderRuntime::load(PhaseClock& clock) {
  Bytes total;
  const std::int64_t parts = policy_.split_batch ? std::min(p_.workers, p_.batch) : 1;
  std::vector<PhaseClock> others(static_cast<std::size_t>(std::max<std::int64_t>(parts - 1, 0)));
  std::vector<sim::Task<void>> tasks;
  for (std::int64_t part = 0; part < parts; ++part)
    tasks.push_back(load_part(part == 0 ? clock : others[static_cast<std::size_t>(part - 1)], part,
                              parts, total));
  co_await sim::join(context_, std::move(tasks));
  co_return total;
}

sim::Task<void> LoaderRuntime::load_part(PhaseClock& clock, std::int64_t part, std::int64_t parts,
                                         Bytes& total) {
  const std::int64_t first = p_.batch * part / parts;
  const std::int64_t mine = p_.batch * (part + 1) / parts - first;
  const std::int64_t groups = std::min(mine, std::max<std::int64_t>(kGroups / parts, 1));
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t samples = mine * (g + 1) / groups - mine * g / groups;
    Bytes bytes;
    for (std::int64_t i = 0; i < samples; ++i) bytes += dataset_.draw(random_);
    const double files = static_cast<double>(samples) * access_.files;
    // serial: open, read, parse and decode    [docs/models/dataloader.md, eq. 1]
    clock.enter(Phase::metadata, context_.now());
    const Served opened = co_await site_.storage->open(site_.client, files);
    clock.enter(Phase::data, context_.now(), opened.limited_by);
    const Served read =
        co_await site_.storage->read(site_.client, {.bytes = bytes,
                                                    .files = files,
                                                    .round_trips = access_.round_trips,
                                                    .direct = dataset_.direct});
    clock.enter(Phase::cpu, context_.now(), read.limited_by);
    co_await compute(bytes / access_.parse +
                     (access_.parse_fixed + dataset_.decode) * static_cast<double>(samples));
    clock.enter(Phase::cpu, context_.now(), site_.cpu_resource);
    total += bytes;
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
    batch.bytes = co_await load(clock);
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
    batch.wait.add(Phase::cpu, p_.handover, site_.cpu_resource);
  }
  if (site_.gpu_copy.finite()) {
    const Seconds copy = batch.bytes / site_.gpu_copy;
    co_await context_.sleep(copy);
    batch.wait.add(Phase::data, copy, site_.copy_resource);
  }
  co_return batch;
}

}  // namespace stallcast::models
