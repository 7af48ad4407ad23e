#include <algorithm>
#include <utility>

#include "models/job/job.hpp"

/// What a job does after a failure with a date. docs/models/failures.md, "At a date".
namespace stallcast::models {

Progress TrainingJob::kept() const {
  Progress out = progress();
  return out -= lost_;
}

// All processes end when somebody notices, start again, read the newest save that is left, and do
// again what came after it. A failure on the way starts that again; hosts lost before stay lost
// until another is there.
//    [docs/models/failures.md, eq. 13 to 15]
sim::Task<std::int64_t> TrainingJob::restart() {
  const Seconds failed = restarts_.next();
  Progress again;
  Outage worst;
  open_all("detect");
  do {
    const Outage outage = restarts_.take();
    worst.scope = std::max(worst.scope, outage.scope);
    worst.hosts = std::max(worst.hosts, outage.hosts);
    if (checkpoint_) checkpoint_->stop();
    co_await restarts_.notice(outage);
    for (RankClass& ranks : classes_)
      if (ranks.loader) ranks.loader->stop();
    // Steps lost before count once.
    Copies::Found found;
    found.save.at = lost_;
    if (checkpoint_)
      if (Copies::Found left = checkpoint_->find(worst.scope); left.save.number > 0)
        found = std::move(left);
    Progress lost = progress();
    lost -= found.save.at;
    if (checkpoint_) checkpoint_->fall_back(worst.scope, found, lost);
    lost_ += lost;
    again += lost;
    then_all("start again");
    co_await restarts_.start();
    note_parts(restarts_.way());
    if (!restarts_.due()) plant_.replace(p_.hosts, worst.hosts);
    const WaitSplit blamed = restarts_.blamed();
    then_all("restore");
    if (found.save.number > 0 && !restarts_.due())
      co_await checkpoint_->restart(std::move(found), worst.hosts, restarts_.restore(),
                                    restarts_.blamed());
    then_all("detect", worst_since(blamed, restarts_.blamed()));
  } while (restarts_.due());
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    RankClass& ranks = classes_[c];
    if (!ranks.loader) continue;
    ranks.stopped.push_back(std::move(ranks.loader));
    const HostGroup& group = plant_.groups(p_.hosts)[ranks.place.group];
    ranks.loader = make_loader(c);
    ranks.loader->take_over(*ranks.stopped.back(), group.among_last(worst.hosts, layout_.hosts));
    record_loader(c);
  }
  cold_ = true;
  cold_epochs_.lose(again.time() - again.once - starts_.lose(again.steps), again.steps);
  if (checkpoint_) checkpoint_->resume(steps_);
  restarts_.end({.failed = failed,
                 .stopped = std::min(stopped_, failed),
                 .lost = again.time(),
                 .done = steps_,
                 .again = again.steps});
  co_return again.steps;
}

}  // namespace stallcast::models
