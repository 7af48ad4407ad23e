#include <algorithm>
#include <cmath>

#include "models/loading/loader_runtime.hpp"

/// What a loader remembers between two steps. docs/models/fast-forward.md.
namespace stallcast::models {

void LoaderRuntime::describe(sim::Ledger& ledger) {
  if (pipeline_ || handovers_ || cuts_ || shared_.dataset.sample_stdev > Bytes{} ||
      shared_.site.also || shared_.site.client.turns > 1.0) {
    ledger.never();  // drawn; or threads that share batches, turns in a line: not described
    return;
  }
  for (const bool flag : {scanned_, listed_, started_, primed_}) ledger.state(flag);
  ledger.state(sent_ - received_);
  ledger.state(rested_);  // decides what is blamed
  ledger.state(ended_.size());
  if (shared_.site.cache) shared_.site.cache->describe(ledger);
  arrival_.describe(ledger);
  shared_indices_.describe(ledger);
  to_stage_.describe(ledger);
  shared_.lock.describe(ledger);
  std::size_t there = 0;
  while (there < incoming_.size() && incoming_[there].there <= context_.now()) ++there;
  ledger.state(there);
  for (std::size_t i = 0; i < there; ++i) ledger.state(incoming_[i].index - base_ - received_);
  for (std::size_t i = there; i < incoming_.size(); ++i) ledger.due(incoming_[i].there);
  ledger.state(awaiting_.batch != nullptr);
  ledger.state(done_.size());
  for (const auto& [index, ready] : done_) ledger.state(index - base_ - received_);
  // Indices go on as they are; the epoch has as many fewer to come as were skipped.
  ledger.bound(static_cast<double>(steps_ - sent_), 0.0);
  steps_ += ledger.growth(steps_ - sent_);
  ledger.count(shared_.site.cores.uncontended);
  // Workers that are alike are told in the order of their turns, so that a step later than another
  // is the same state though another worker is next.
  const std::size_t count = readers_.size();
  const bool alike = !policy_.iterable && policy_.fixed_assignment && !workers_.empty() &&
                     std::all_of(readers_.begin(), readers_.end(),
                                 [](const auto& reader) { return reader->placeless(); });
  if (!alike) ledger.state(next_worker_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = alike ? (next_worker_ + i) % count : i;
    readers_[at]->describe(ledger);
    ledger.state(parts_[at].group);
    if (at >= workers_.size()) continue;
    Worker& worker = workers_[at];
    worker.indices.describe(ledger);
    // Laps of its clock only split the next waits: they are those of the periods that were seen.
    ledger.state(worker.tasks);
    ledger.state(worker.dry);
    if (!std::isfinite(worker.left)) continue;
    ledger.bound(worker.left, static_cast<double>(p_.batch));
    worker.left += ledger.growth(worker.left);
  }
}

}  // namespace stallcast::models
