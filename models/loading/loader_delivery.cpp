#include <algorithm>
#include <exception>
#include <span>

#include "models/contract/presumption.hpp"
#include "models/loading/loader_runtime.hpp"

/// How batches that workers have loaded come to the training loop. docs/models/dataloader.md.
namespace stallcast::models {

bool LoaderRuntime::arrived() const {
  return policy_.in_order ? done_.contains(base_ + received_) : !done_.empty();
}

// By date, as they are seen.
void LoaderRuntime::put_by_date() {
  const Seconds there = incoming_[incoming_.size() - 1].there;
  for (std::size_t i = incoming_.size(); i-- > 1 && incoming_[i - 1].there > there;)
    std::swap(incoming_[i - 1], incoming_[i]);
}

void LoaderRuntime::hand_over(std::int64_t index, Loaded bytes, Loader by) {
  if (staged()) {
    to_stage_.push({index, bytes, context_.now(), by});
    return;
  }
  incoming_.push_back({index, bytes, last_of(bytes, context_.now()), by, context_.now()});
  put_by_date();
  arrival_.set();
  receive_known();
}

// What a dry worker was asked for never comes: an index in its place goes to another.
//    [PyTorch dataloader.py, _next_data and _try_put_index]
void LoaderRuntime::skip_dry() {
  if (!policy_.iterable) return;  // any worker reads any file
  for (const std::size_t at : ended_) {
    workers_[at].dry = true;
    issue(context_.now());
  }
  ended_.clear();
  if (!policy_.in_order) return;
  for (auto owner = owner_.find(base_ + received_);
       owner != owner_.end() && workers_[owner->second].dry &&
       owner->first >= workers_[owner->second].end;
       owner = owner_.find(base_ + received_)) {
    owner_.erase(owner);
    ++received_;
  }
}

// The training loop `waited` for a batch: in parts as all of its loading took, for what was done
// while somebody waited is the end of it alone, and a faster beginning would have saved as much.
// The end of the wait the batch was in the last stage, in line or served. That is the stage's doing
// where who loaded the batch had rested before: those behind could not go on. Else the loading
// never stopped, and the stage only passes on what comes late.
//    [docs/models/dataloader.md, eq. 10 and 11]
void LoaderRuntime::blame(WaitSplit& wait, Seconds waited, const Ready& ready) {
  const Seconds staged = ready.by.rested ? std::min(ready.staged, waited) : Seconds{};
  if (staged > Seconds{}) wait.add(Phase::cpu, staged, shared_.site.last_resource);
  if (pipeline_)
    wait += pipeline_->clocks(context_.now()).since(loaded_, waited - staged);
  else
    wait += made_[ready.by.made].since({}, waited - staged);
}

// The next of the queue of results, whichever it is: it is mapped before its turn has come, which
// takes the time that is returned.    [docs/models/dataloader.md, eq. 7]
Seconds LoaderRuntime::map_first(Ready& ready) {
  const Arrival& arrival = incoming_.front();
  const Seconds handover = draw_handover(arrival.bytes);
  const Seconds later = handover * policy_.at_delivery;
  ready = {arrival.bytes, {}, later, arrival.last, arrival.by};
  incoming_.pop_front();
  return handover - later;
}

Seconds LoaderRuntime::map_next() { return map_first(done_[incoming_.front().index]); }

// The training loop takes a batch that has arrived, at `date`, and has it when the time that is
// returned has passed, too.
Seconds LoaderRuntime::deliver(Batch& batch, Seconds date) {
  const auto found = next_done();
  const auto [index, ready] = *found;
  done_.erase(found);
  give_out(batch, index, ready, date);
  return ready.handover;
}

void LoaderRuntime::give_out(Batch& batch, std::int64_t index, const Ready& ready, Seconds date) {
  batch.index = index;
  batch.bytes = ready.bytes;
  batch.behind = std::max(Seconds{}, ready.last - date);
  if (!pipeline_) {
    if (policy_.fixed_assignment) --workers_[ready.by.worker].tasks;
    unused_.push_back(ready.by.made);
  }
  if (policy_.iterable)
    if (const auto owner = owner_.find(index); owner != owner_.end()) owner_.erase(owner);
  if (ready.by.rested && staged()) --rested_;
  ++received_;
  if (pipeline_) loaded_ = pipeline_->clocks(context_.now());
  issue(date);  // a slot is freed by consumption, never by completion
}

void LoaderRuntime::await_first() {
  if (incoming_.empty() || incoming_.front().there == announced_) return;
  announced_ = incoming_.front().there;
  context_.spawn(announce(announced_));
}

sim::Task<void> LoaderRuntime::announce(Seconds date) {
  co_await context_.sleep_until(date);
  arrival_.set();
}

void LoaderRuntime::waited(Batch& batch, Seconds time, const Ready& ready) {
  if (time <= Seconds{}) return;
  // The first batch of each worker is waited for however they read: they begin together.
  if (shared_.site.keeps_up && base_ + received_ >= p_.workers)
    context_.fail(std::make_exception_ptr(Refuted(Presumption::loaders_keep_up)));
  blame(batch.wait, time, ready);
}

sim::Task<void> LoaderRuntime::receive(Batch& batch) {
  if (!primed_) co_await start(batch);
  skip_dry();
  const Seconds began = context_.now();
  HostCores& cores = shared_.site.cores;
  WaitSplit mapping;
  while (!arrived()) {
    if (!any_there()) {
      arrival_.reset();
      await_first();
      co_await arrival_.wait();
    } else {
      const Seconds held = context_.now();
      if (const Seconds time = map_next(); policy_.at_delivery < 1.0) {
        co_await cores.compute(time, receiver());
        mapping.add(Phase::cpu, context_.now() - held, cores.resource);
      }
    }
    skip_dry();
  }
  batch.wait += mapping;
  waited(batch, context_.now() - began - mapping.total(), next_done()->second);
  const Seconds handover = deliver(batch, context_.now()), held = context_.now();
  co_await cores.compute(handover, receiver());
  batch.wait.add(Phase::cpu, context_.now() - held, cores.resource);
}

void LoaderRuntime::prefetch() const {
  const auto* const first = reinterpret_cast<const std::byte*>(this);
  const auto* const last = reinterpret_cast<const std::byte*>(&shared_.site.client);
  sim::prefetch(first, static_cast<std::size_t>(last - first));
  sim::prefetch(&done_);
}

void LoaderRuntime::prefetch_queues() const {
  if (!incoming_.empty()) sim::prefetch(&incoming_.front(), sizeof(Arrival));
  if (!workers_.empty()) sim::prefetch(&workers_[next_worker_], 2 * sim::kCacheLine);
}

// Alone on the link of its GPU; with its neighbours on the uplink of their switch.  [host.md, eq.
// 1]
auto LoaderRuntime::copy_to_gpu(Bytes bytes) const {
  const LoaderSite& site = shared_.site;
  using Path = std::span<const sim::LinkId>;
  return context_.transfer({.path = site.gpu_link.valid() ? Path{&site.gpu_link, 1} : Path{},
                            .bytes = bytes,
                            .members = site.client.members,
                            .cap = site.gpu_copy});
}

sim::Task<void> LoaderRuntime::next(Batch& batch) {
  if (!scanned_) co_await scan(batch);
  if (!listed_) co_await open_epoch(batch);
  if (p_.workers == 0)
    co_await load_here(batch);
  else
    co_await receive(batch);
  if (copies()) {
    const sim::FlowOutcome flow = co_await copy_to_gpu(batch.bytes.memory);
    batch.wait.add(
        Phase::data, flow.ended - flow.began,
        flow.binding.valid() ? shared_.site.uplink_resource : shared_.site.copy_resource);
  }
  if (shared_.site.peers > 0.0) co_await pass_on(batch);
}

// A broadcast in a row of GPUs, piece by piece: each takes in the batch once.    [host.md, eq. 5]
sim::Task<void> LoaderRuntime::pass_on(Batch& batch) {
  const LoaderSite& site = shared_.site;
  const Seconds began = context_.now();
  co_await context_.transfer({.path = {&site.nvlink, 1},
                              .bytes = batch.bytes.memory,
                              .members = site.client.members * site.peers,
                              .cap = site.peer_rate});
  batch.wait.add(Phase::data, context_.now() - began, site.nvlink_resource);
}

}  // namespace stallcast::models
