#include <algorithm>
#include <memory>
#include <utility>

#include "models/saving/checkpointer.hpp"

/// What a failure with a date does to saves, and how a job has its state again.
/// docs/models/failures.md, "At a date".
namespace stallcast::models {
namespace {

using Over = std::shared_ptr<sim::Signal>;

sim::Task<void> tell_end(sim::Task<void> what, Over over) {
  co_await what;
  over->set();
}

// Nothing but this depends on when it ends.
sim::Task<void> tell_after(sim::Context& context, Seconds time, Over over) {
  context.watch(time);
  co_await context.sleep(time);
  over->set();
}

}  // namespace

// Its processes may be gone, and what they held with them.
void Checkpointer::end(const Save& save, bool left) {
  if (save.life != life_) return;
  if (!left) free_buffer(save);
  copies_.forget(*save.point);
  if (--flushing_ == 0) idle_.set();
}

bool Checkpointer::lost(const Save& save) const { return save.life != life_ || failures_.failed(); }

// What lies in memory is whole.    [docs/models/checkpoint.md, eq. 9]
double Checkpointer::saves_in(const std::string& tier, const SavePoint& save) {
  return in_memory(tier) ? 1.0 : static_cast<double>(save.chain);
}

const SavePoint& Checkpointer::newest_in(const std::string& tier) const {
  const std::vector<std::string>& tiers = mover_.tiers();
  const auto found = std::find(tiers.begin(), tiers.end(), tier);
  return copies_.newest(
      found == tiers.end() ? 0 : place(static_cast<std::size_t>(found - tiers.begin())));
}

Lane* Checkpointer::lane(const char* what) {
  return recorder_ == nullptr ? nullptr : &recorder_->free_lane("checkpoint", job_, what);
}

void Checkpointer::stop() {
  ++life_;
  copying_ = false;
  chain_ = 0;
  flushing_ = 0;
  idle_.set();
  while (buffers_.free() < p_.buffers) buffers_.release();
}

// From tiers that hold what ranks saved each takes its own, and others get theirs from these.
//    [docs/models/failures.md, eq. 15]
sim::Task<void> Checkpointer::restart(Copies::Found found, double hosts,
                                      std::optional<Seconds> given, WaitSplit& blamed) {
  const std::string& farthest = hosts > 0.0 ? found.replaced : found.kept;
  sim::Context& context = mover_.context();
  const Seconds start = context.now();
  if (given && !mover_.holds_own(farthest)) {
    const Seconds time = failures_.until_failure(start + *given) - start;
    co_await context.sleep(time);
    if (time == *given) given_restore_ = time;
    blamed.blame(time, mover_.own_resource("restore"));
    co_return;
  }
  Restore::Source source;
  source.tier = found.kept;
  source.replaced = found.replaced;
  source.replaced_hosts = hosts;
  // All ranks need theirs: `own` is no more than the reads of `once`.
  source.mode = restore_.wanted() && p_.restore != "all" ? "once" : "all";
  const double saves = std::max(saves_in(found.kept, found.save),
                                hosts > 0.0 ? saves_in(found.replaced, found.save) : 1.0);
  source.may_stop = failures_.next().finite();
  Restore& again = *again_.emplace_back(std::make_unique<Restore>(mover_));
  const double state = 1.0 + (saves - 1.0) * p_.incremental.in(unit::ratio);
  if (!source.may_stop) {
    co_await again.run(state, saves, std::move(source));
    blamed += again.split();
    co_return;
  }
  const auto over = std::make_shared<sim::Signal>(context);
  context.spawn(tell_end(again.run(state, saves, std::move(source)), over));
  context.spawn(tell_after(context, failures_.next() - start, over));
  co_await over->wait();
  if (again.took() > Seconds{}) {
    blamed += again.split();
  } else {
    again.stop();
    blamed.blame(context.now() - start, mover_.own_resource("restore"));
  }
}

// What goes by is between no two saves.
void Checkpointer::begin_anew() { first_start_ += mover_.context().now() - last_start_; }

void Checkpointer::resume(std::int64_t steps) {
  begin_anew();
  resumed_ = true;
  last_start_ = mover_.context().now();
  last_steps_ = steps;
}

}  // namespace stallcast::models
