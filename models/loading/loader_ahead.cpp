#include <algorithm>
#include <utility>

#include "models/loading/loader_runtime.hpp"

/// What is known ahead of time of how batches come to the training loop: no program waits for it.
/// docs/models/dataloader.md.
namespace stallcast::models {

// When a batch is processed is known when its bytes are there, and who could tell whether its
// worker hands it over then or now?    [docs/adr/0047-results-with-a-date.md]
bool LoaderRuntime::ends_unseen(Worker& self, SampleReader& reader) {
  if (!unused_.empty()) sim::prefetch(&made_[unused_.back()], sizeof(WaitSplit));  // of its lap
  self.processing = reader.processing(self.clock);
  const Seconds done = context_.now() + self.processing;
  if (!undisturbed_ || !told_ahead() || staged() || self.lane != nullptr ||
      self.samples != p_.batch || arrival_.awaited() || done <= context_.now())
    return false;
  self.done = done;
  shared_.site.cores.pass(self.processing);
  // Written where it stays: a copy would wait for what was just written.
  Arrival& arrival = incoming_.add();
  arrival.index = self.index;
  reader.end(self.clock, done, arrival.bytes);
  arrival.bytes.memory = part(self.number).whole(self.samples, arrival.bytes.memory);
  arrival.last = last_of(arrival.bytes, done);
  made(self, done, arrival.by);
  arrival.there = done;
  put_by_date();
  receive_known();
  return true;
}

bool LoaderRuntime::at_hand() const {
  if (!undisturbed_ || !primed_ || !listed_) return false;
  if (!done_.empty() && arrived()) return true;
  return policy_.in_order ? next_is_there(context_.now()) : any_there();
}

bool LoaderRuntime::next_is_there(Seconds date) const {
  for (std::size_t i = 0; i < incoming_.size() && incoming_[i].there <= date; ++i)
    if (incoming_[i].index == base_ + received_) return true;
  return false;
}

Seconds LoaderRuntime::map_until_next(Batch& batch) {
  Seconds mapping;
  while (!arrived()) mapping += map_next();
  pass(mapping, batch);
  return mapping;
}

Seconds LoaderRuntime::take(Batch& batch, Seconds left) {
  return on_its_way(batch, deliver(batch, context_.now() + left));
}

Seconds LoaderRuntime::take_at_once(Batch& batch) {
  if (!done_.empty() || incoming_.front().index != base_ + received_) {
    const Seconds mapping = map_until_next(batch);
    return mapping + take(batch, mapping);
  }
  // The same, of the only one.
  Ready ready;
  const Seconds mapping = map_first(ready);
  pass(mapping, batch);
  give_out(batch, base_ + received_, ready, context_.now() + mapping);
  return mapping + on_its_way(batch, ready.handover);
}

// Core time of the training process, then the way to the GPU.
Seconds LoaderRuntime::on_its_way(Batch& batch, Seconds handover) {
  pass(handover, batch);
  return handover + copied_alone(batch);
}

Seconds LoaderRuntime::copied_alone(Batch& batch) {
  if (!copies()) return {};
  const LoaderSite& site = shared_.site;
  const Seconds copying = batch.bytes.memory / site.gpu_copy;
  batch.wait.add(Phase::data, copying, site.copy_resource);
  return copying;
}

// Core time of the training process that nobody waits for.
void LoaderRuntime::pass(Seconds time, Batch& batch) {
  if (time <= Seconds{}) return;
  HostCores& cores = shared_.site.cores;
  if (receiver() == HostCores::Who::process) cores.pass(time);
  batch.wait.add(Phase::cpu, time, cores.resource);
}

void LoaderRuntime::await(Batch& batch) {
  awaiting_ = {&batch, context_.now()};
  receive_known();
}

// As `receive`: batches are mapped one after the other as they come to be in the queue of results,
// and the training loop goes on once it has mapped its own.
void LoaderRuntime::receive_known() {
  if (awaiting_.batch == nullptr || !next_is_there(Seconds::infinity())) return;
  Batch& batch = *std::exchange(awaiting_.batch, nullptr);
  Seconds date = awaiting_.began;
  const auto map = [&](auto&& take) {
    date = std::max(date, incoming_.front().there);
    const Seconds mapping = take();
    pass(mapping, batch);
    date += mapping;
  };
  while (incoming_.front().index != base_ + received_) map([&] { return map_next(); });
  Ready ready;
  map([&] { return map_first(ready); });
  waited(batch, date - awaiting_.began - batch.wait.total(), ready);
  give_out(batch, base_ + received_, ready, date);
  pass(ready.handover, batch);
  on_batch(date + ready.handover + copied_alone(batch));
}

}  // namespace stallcast::models
