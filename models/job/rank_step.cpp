#include <algorithm>
#include <utility>

#include "models/job/job.hpp"

/// What one class of ranks does in a step. docs/models/training.md.
namespace stallcast::models {
namespace {

// Ranks whose loaders are fetched into the cache ahead of the one whose step begins.
constexpr std::size_t kAhead = 3;

}  // namespace

// Nothing of its step waits for anybody, and nobody sees it but where it ends.
//    [docs/adr/0043-steps-known-ahead.md]
bool TrainingJob::known_ahead(const RankClass& ranks) const {
  if (communicator_ || compute_is_seen(ranks)) return false;
  return !ranks.loader || (ranks.loader->at_hand() && ranks.loader->told_ahead());
}

// When it begins matters to others.
bool TrainingJob::compute_is_seen(const RankClass& ranks) const {
  return ranks.lane != nullptr || ranks.straggler || (checkpoint_ && checkpoint_->slows());
}

Seconds TrainingJob::compute(RankClass& ranks) {
  if (ranks.straggler) ranks.speed = plant_.gpu_speed(p_.hosts, ranks.place.group);
  ranks.compute = step_time_.slowest(ranks.place.members, ranks.random) / ranks.speed;
  ranks.slowed = checkpoint_ ? ranks.compute * checkpoint_->slowdown() : Seconds{};
  return ranks.compute + ranks.slowed;
}

Seconds TrainingJob::decode_on_gpu(RankClass& ranks) {
  const Seconds work = ranks.loader ? ranks.loader->gpu_work() : Seconds{};
  if (work > Seconds{}) ranks.batch.wait.add(Phase::cpu, work, ranks.loader->gpu_resource());
  return work;
}

bool TrainingJob::told_by_loader(const RankClass& ranks) const {
  return ranks.loader && ranks.loader->tells() && !communicator_ && !compute_is_seen(ranks);
}

void TrainingJob::pass_step(RankClass& ranks) {
  ranks.batch.clear();
  Seconds takes;
  if (ranks.loader) takes = ranks.loader->take_at_once(ranks.batch);
  ranks.computes = context_.now() + takes;
  takes += compute(ranks) + between();
  takes += decode_on_gpu(ranks);
  ranks.arrived = context_.now() + takes;
  last_arrival_ = std::max(last_arrival_, ranks.arrived);
}

void TrainingJob::has_batch(RankClass& ranks, Seconds date) {
  ranks.computes = date;
  ranks.arrived = date + (compute(ranks) + between()) + decode_on_gpu(ranks);
  last_arrival_ = std::max(last_arrival_, ranks.arrived);
  if (--waiting_ == 0) all_have_.set();
}

sim::Task<void> TrainingJob::await_arrivals() {
  while (waiting_ > 0) {
    all_have_.reset();
    co_await all_have_.wait();
  }
  co_await context_.sleep_until(last_arrival_);
}

void TrainingJob::begin_ranks(std::vector<sim::Task<void>>& parts) {
  const std::size_t others = parts.size();
  last_arrival_ = {};
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (const std::size_t soon = c + kAhead; soon < classes_.size() && classes_[soon].loader)
      classes_[soon].loader->prefetch();
    if (c + 1 < classes_.size() && classes_[c + 1].loader)
      classes_[c + 1].loader->prefetch_queues();
    RankClass& ranks = classes_[c];
    if (known_ahead(ranks)) {
      pass_step(ranks);
    } else if (told_by_loader(ranks)) {
      ++waiting_;
      ranks.batch.clear();
      ranks.loader->await(ranks.batch);
    } else {
      parts.push_back(rank_step(ranks));
    }
  }
  if (parts.size() < others + classes_.size()) parts.push_back(await_arrivals());
}

sim::Task<void> TrainingJob::rank_step(RankClass& ranks) {
  ranks.batch.clear();
  open(ranks.lane, "step", steps_);
  open(ranks.lane, "wait for a batch");
  Seconds owed;  // passes before it computes
  if (ranks.loader && ranks.loader->at_hand()) {
    owed = ranks.loader->map_until_next(ranks.batch);
    if (owed > Seconds{} && !ranks.loader->told_ahead())
      co_await context_.sleep(std::exchange(owed, Seconds{}));
    owed += ranks.loader->take(ranks.batch, owed);
  } else if (ranks.loader) {
    co_await ranks.loader->next(ranks.batch);
  }
  // One wait for both, unless it matters when the second begins.
  if (owed > Seconds{} && compute_is_seen(ranks))
    co_await context_.sleep(std::exchange(owed, Seconds{}));
  then(ranks.lane, "compute", ranks.batch.wait, ranks.batch.index);
  const Seconds computing = compute(ranks);
  ranks.computes = context_.now() + owed;
  if (communicator_) {
    const Communicator::Split split = communicator_->split(computing);
    co_await context_.sleep(owed + split.before + between());
    communicator_->reached();
    co_await context_.sleep(split.beside);
  } else {
    co_await context_.sleep(owed + computing + between());
  }
  if (const Seconds work = decode_on_gpu(ranks); work > Seconds{}) {
    then(ranks.lane, "decode on the GPU");
    co_await context_.sleep(work);
  }
  ranks.arrived = context_.now();
  then(ranks.lane, "wait for ranks");
}

sim::Task<void> TrainingJob::pass(Seconds time) { co_await context_.sleep(time); }

}  // namespace stallcast::models
