#include "models/failure/renewal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/base/random.hpp"
#include "models/failure/clocks.hpp"
#include "models/failure/under_way.hpp"

namespace stallcast::models {
namespace {

/// The job on some of its GPUs, with a save after every `steps` steps.
struct Scale {
  Scale(const JobPace& job, double share, std::int64_t steps)
      : pace(&job),
        share(share),
        alike(job),
        work(job.step * static_cast<double>(steps)),
        // Steps vary independently: the deviation of n of them grows by sqrt(n).
        deviation(job.step * (job.step_deviation * std::sqrt(static_cast<double>(steps)))) {
    if (job.stalls.empty()) return;
    stall = alike.mean(job.stalls);
    between = between_saves(job, steps);
    for (const CopyTier& tier : job.tiers) settled = std::max(settled, mean_of(tier.after));
  }
  const JobPace* pace;
  double share;  ///< of all GPUs of the job
  Alike alike;
  Seconds work, deviation;
  Seconds stall, settled;  ///< means: of the stall, until every tier has a save
  Between between;
};

/// With all its GPUs, and with those that are never lent. REQUIRES: `job` outlives it.
struct Scales {
  Scales(const JobProcess& job, std::int64_t steps) : all(job, 1.0, steps) {
    if (job.shifts) fewer.emplace(job.shifts->pace, job.shifts->stays, steps);
  }
  Scale all;
  std::optional<Scale> fewer;
};

// A history is given up once it has taken a thousand times its work, or failed so often.
constexpr double kLongest = 1e3, kMostFailures = 1e7;

Seconds given_up(const JobProcess& job) {
  return std::min(*job.work * kLongest, mtbf(job) * kMostFailures);
}

// Fewer histories than a tenth of what is asked for tell little of luck, nor do fewer than these;
// with more failures than those, few do.
constexpr double kFewestOfAll = 0.1, kFewest = 25.0, kFew = 4.0, kManyFailures = 2e6;

/// Whether so many histories that end with their work, `sum` of them together, tell enough.
///    [docs/models/whole-run.md, eq. 6]
bool enough(const JobProcess& job, double runs, double made, const JobHistory& sum) {
  const bool as_long = sum.horizon() >= job.recovery.horizon * runs;
  return (as_long && made >= std::max(kFewestOfAll * runs, kFewest)) ||
         (sum.failures >= kManyFailures && made >= kFew);
}

/// One history, event by event.
class Walk {
 public:
  Walk(const JobProcess& job, const Scales& scales, std::uint64_t seed, std::uint64_t run)
      : job_(job),
        scales_(scales),
        random_(seed, "job." + job.id, "months", run),
        missing_(job.recovery) {
    for (const FailureSource& source : job.failures) clocks_.emplace_back(job, source, seed, run);
    for (std::size_t t = 0; t < job.tiers.size(); ++t)
      shelves_.emplace_back(
          job.tiers[t].life,
          base::RandomStream(seed, "job." + job.id, "bad saves." + std::to_string(t), run));
    if (job.shifts) next_shift_ = job.shifts->period - job.shifts->busy - job.shifts->begun;
  }

  JobHistory run() {
    const Seconds horizon = job_.work ? given_up(job_) : job_.recovery.horizon;
    while (now_ < horizon && !done_) {
      FailureClock* clock = next_failure();
      const Seconds until = clock == nullptr ? horizon : std::min(clock->next(), horizon);
      if (next_shift_ < until) {
        work_until(std::max(next_shift_, now_));
        if (!done_) shift(clock, until, horizon);
        continue;
      }
      work_until(until);
      if (!done_ && until < horizon) come_back(*clock, horizon);
    }
    out_.unended = job_.work && !done_ ? 1.0 : 0.0;
    out_.kept = position_;
    return out_;
  }

 private:
  FailureClock* next_failure() {
    FailureClock* first = nullptr;
    for (FailureClock& clock : clocks_)
      if (first == nullptr || clock.next() < first->next()) first = &clock;
    return first;
  }

  // `time` goes by. GPUs that the job does not have at that time are lent.
  void spend(Seconds time, Seconds& on) {
    now_ += time;
    on += time * scale_->share;
    out_.lent += time * (1.0 - scale_->share);
  }

  // What is left to do takes so long where nothing disturbs it.
  [[nodiscard]] Seconds left() const {
    return job_.work ? (*job_.work - position_) / scale_->share : Seconds::infinity();
  }

  // Steps and saves in turn from now on, cut off at `end`, or when all work is done.
  void work_until(Seconds end) {
    const JobPace& pace = *scale_->pace;
    worked_on_ = scale_->share;
    while (skip(end)) {
    }
    while (now_ < end) {
      const Seconds block =
          pace.stalls.empty()
              ? end - now_
              : std::max(scale_->work + scale_->deviation * random_.normal(), Seconds{});
      const bool last = left() <= block;
      const bool cut = !work(std::min(block, left()), end);
      done_ = last && !cut;
      if (done_) return;
      if (cut || pace.stalls.empty()) break;
      save(end);
    }
    now_ = end;
  }

  // Steps that do `block` of work, cut off at `end`; whether all of it was done.
  bool work(Seconds block, Seconds end) {
    const JobPace& pace = *scale_->pace;
    const Seconds slow = slowed_work(pace, block, flushed_ - now_);
    const double longer = slow > Seconds{} ? pace.slowed / pace.step : 0.0;
    const bool done = block + slow * longer <= end - now_;
    const Seconds slowly = std::min(slow, (end - now_) / (1.0 + longer));
    spend(slowly, position_);
    spend(slowly * longer, out_.saving);
    spend(std::clamp(end - now_, Seconds{}, block - slow), position_);
    return done;
  }

  // Many undisturbed cycles at once, by their mean and variance; the last ones before `end` are
  // walked, as many as it takes until what was skipped is in every tier. Whether there were any.
  bool skip(Seconds end) {
    const JobPace& pace = *scale_->pace;
    if (pace.stalls.empty()) return false;
    const Seconds cycle =
        scale_->work + scale_->stall + scale_->between.waited + scale_->between.slowed;
    constexpr double kWalked = 8.0;
    constexpr double kExact = 1e-9;  // a save that holds up the next takes the cycle
    double walked = kWalked + std::ceil(scale_->settled / cycle - kExact);
    for (const CopyTier& tier : pace.tiers)  // the last that comes to each is walked, too
      if (const std::int64_t n = tier.counts(); n > 1) walked += static_cast<double>(n);
    double count = std::floor((end - now_) / cycle * (1.0 - kMargin) - walked);
    if (job_.work)
      count = std::min(count, std::floor(left() / scale_->work * (1.0 - kMargin) - walked));
    if (count < kWalked) return false;
    const Seconds block =
        scale_->work * count + scale_->deviation * (std::sqrt(count) * random_.normal());
    const Seconds stalled = (cycle - scale_->work) * count;
    if (now_ + block + stalled > end || block >= left()) return false;
    spend(block, position_);
    spend(stalled, out_.saving);
    begun_ += static_cast<std::int64_t>(count);
    for (std::size_t t = 0; t < shelves_.size(); ++t) {
      const double n = static_cast<double>(pace.tiers[t].counts());
      shelves_[t].skip(position_, scale_->work * (scale_->share * n), std::floor(count / n));
    }
    return true;
  }

  void save(Seconds end) {
    const JobPace& pace = *scale_->pace;
    const std::vector<std::size_t>& alike = scale_->alike.of(begun_);
    const std::size_t i = alike[static_cast<std::size_t>(random_.below(alike.size()))];
    const Seconds start = buffers_.take(pace, i, now_);
    const Seconds until = start + pace.stalls[i];
    spend(std::min(until, end) - now_, out_.saving);
    for (std::size_t t = 0; t < shelves_.size(); ++t)
      if (pace.tiers[t].overwrites) shelves_[t].clear();
    if (until > end) return;  // the failure hit the save
    flushed_ = std::max(flushed_, start + flushes(pace, i, begun_));
    for (std::size_t t = 0; t < shelves_.size(); ++t)
      if (begun_ % pace.tiers[t].counts() == 0)
        shelves_[t].send(position_, start + pace.tiers[t].after[i]);
    ++begun_;
    settle();
  }

  // What has arrived by now is held; what is still on its way stays there.
  void settle() {
    for (Shelf& shelf : shelves_) shelf.settle(now_);
  }

  // The state to go on from after a failure of this scope: the newest that can be loaded, and of
  // these the quickest to read. What the failure took with it is gone. Yields the time it takes to
  // read it, and bad ones before it.    [docs/models/failures.md, eq. 9]
  Seconds fall_back(Scope scope) {
    settle();
    for (Shelf& shelf : shelves_) shelf.look();
    buffers_.clear();
    flushed_ = {};
    Seconds position, restore, in_vain;
    double tried = 0.0;
    for (std::size_t t = 0; t < shelves_.size(); ++t) {
      const CopyTier& tier = scale_->pace->tiers[t];
      Shelf& shelf = shelves_[t];
      if (scope >= tier.lost_with) {
        shelf.clear();
      } else if (shelf.good() > position || (shelf.good() == position && restore > tier.restore)) {
        position = shelf.good();
        restore = tier.restore;
        tried = shelf.bad();
        in_vain = restore * tried;
      } else if (position == Seconds{} && shelf.bad() > 0.0) {  // nothing but bad ones so far
        tried = shelf.bad();
        in_vain = tier.restore * tried;
      }
    }
    out_.bad_saves += tried;
    if (tried > 0.0 && position == Seconds{}) out_.lost_all += 1.0;
    for (Shelf& shelf : shelves_) shelf.rewind(position);  // nor do copies go on
    out_.lost += position_ - position;
    out_.lost_for += (position_ - position) / worked_on_;
    position_ = position;
    return restore + in_vain;
  }

  // From a failure until work goes on; a failure on the way starts processes again, and may take
  // more hosts. A shift that was due meanwhile comes with it.    [docs/models/failures.md, eq. 14]
  void come_back(FailureClock& first, Seconds horizon, Scope gone = Scope::process) {
    const RecoveryParams& r = job_.recovery;
    FailureClock* clock = &first;
    for (;;) {
      out_.failures += 1.0;
      const Scope scope = clock->scope();
      Scope lost = std::max(scope, gone);
      while (next_shift_ <= now_) {
        change_scale();
        lost = std::max(lost, kLostByShift);
      }
      const FailureSource& source = clock->source();
      const double hosts = scope == Scope::rack ? source.group : 1.0;
      missing_.fail(now_, scope == Scope::process ? 0.0 : hosts, source.repair);
      const JobPace& pace = *scale_->pace;
      const Seconds ready =
          missing_.there() + pace.mount + r.start + r.init + fall_back(lost) + pace.refill;
      clock->advance(now_);
      clock = next_failure();
      const Seconds until = std::min({ready, clock->next(), horizon});
      const Seconds waited = missing_.waiting(now_, until);
      const Seconds restart = until - now_ - waited;
      spend(waited, out_.waiting);
      spend(restart, out_.restart);
      out_.restart_for += restart;
      now_ = until;
      if (until == ready || until == horizon) return;
    }
  }

  // Other GPUs from now on.
  void change_scale() {
    const bool lend = scale_ == &scales_.all;
    scale_ = lend ? &*scales_.fewer : &scales_.all;
    next_shift_ += lend ? job_.shifts->busy : job_.shifts->period - job_.shifts->busy;
    out_.shifts += 1.0;
  }

  // All ranks save, stop, and start on other GPUs, unless a failure `clock` at `end` is first.
  //     t = t_save + t_stop + t_mount + t_start + t_init + t_restore + t_fill
  // [docs/models/elastic.md, eq. 2]
  void shift(FailureClock* clock, Seconds end, Seconds horizon) {
    const auto phase = [&](Seconds time) {
      const bool ends = now_ + time <= end;
      const Seconds until = ends ? now_ + time : end;
      spend(until - now_, out_.shifting);
      now_ = until;
      return ends;
    };
    const std::vector<Seconds>& saves = scale_->pace->tiers[job_.shifts->tier].after;
    const bool saved = phase(saves[static_cast<std::size_t>(random_.below(saves.size()))]);
    settle();
    if (saved) shelves_[job_.shifts->tier].add(position_);
    change_scale();
    const RecoveryParams& r = job_.recovery;
    const JobPace& pace = *scale_->pace;
    if (saved && phase(job_.shifts->stop + pace.mount + r.start + r.init + fall_back(kLostByShift) +
                       pace.refill))
      return;
    if (now_ < horizon) come_back(*clock, horizon, kLostByShift);
  }

  // Copies within the hosts are of no use to other ranks than wrote them.
  static constexpr Scope kLostByShift = Scope::rack;
  // Relative spread of the length of many cycles that a skip leaves room for.
  static constexpr double kMargin = 0.02;

  const JobProcess& job_;
  const Scales& scales_;
  const Scale* scale_ = &scales_.all;  ///< at present
  double worked_on_ = 1.0;             ///< share of the GPUs that the newest work was done by
  Seconds next_shift_ = Seconds::infinity();
  base::RandomStream random_;
  Missing missing_;
  std::vector<FailureClock> clocks_;
  Seconds now_, position_;
  bool done_ = false;
  std::vector<Shelf> shelves_;  // by tier
  std::int64_t begun_ = 0;      // saves
  HeldBuffers buffers_;
  Seconds flushed_;  // date at which the last flush ends
  JobHistory out_;
};

constexpr std::array kTimes{&JobHistory::kept,    &JobHistory::saving,   &JobHistory::lost,
                            &JobHistory::restart, &JobHistory::waiting,  &JobHistory::shifting,
                            &JobHistory::lent,    &JobHistory::lost_for, &JobHistory::restart_for};
constexpr std::array kCounts{&JobHistory::failures, &JobHistory::shifts,  &JobHistory::bad_saves,
                             &JobHistory::lost_all, &JobHistory::unended, &JobHistory::runs};
}  // namespace

Seconds mean_of(const std::vector<Seconds>& values) {
  return std::accumulate(values.begin(), values.end(), Seconds{}) /
         static_cast<double>(values.size());
}

bool Shifts::away(Seconds t) const {
  return Seconds::from(std::fmod((t + begun).in(unit::s), period.in(unit::s)), unit::s) >=
         period - busy;
}

JobHistory history(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                   std::uint64_t run) {
  const Scales scales(job, steps);
  return Walk(job, scales, seed, run).run();
}

JobOutlook outlook(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                   std::int64_t runs) {
  JobOutlook out;
  const Scales scales(job, steps);
  const double most = static_cast<double>(runs);
  double n = 0.0;
  for (; n < most && !(job.work && enough(job, most, n, out.mean)); n += 1.0) {
    JobHistory one = Walk(job, scales, seed, static_cast<std::uint64_t>(n)).run();
    one.runs = 1.0;
    out.kept.add(one.kept / one.own());
    out.used.add((one.kept + one.lost) / one.own());
    out.lasted.add(one.horizon().in(unit::s));
    out.mean += one;
    const std::size_t group = static_cast<std::size_t>(n) % kHistoryGroups;
    if (group == out.groups.size()) out.groups.emplace_back();
    out.groups[group] += one;
  }
  out.mean *= 1.0 / n;
  return out;
}

Histories JobOutlook::apart(const Sum& of, const Sum& per) const {
  double all = 0.0, over = 0.0;
  for (const JobHistory& group : groups) all += of(group), over += per(group);
  if (!(all > 0.0) || !(over > 0.0)) return {};
  Histories out;
  for (const JobHistory& group : groups) out.push_back(of(group) / all - per(group) / over);
  return out;
}

Histories JobOutlook::apart() const {
  return apart([](const JobHistory& h) { return h.kept.in(unit::s); },
               [](const JobHistory& h) { return h.horizon().in(unit::s); });
}

JobHistory& JobHistory::operator+=(const JobHistory& other) {
  for (const auto time : kTimes) this->*time += other.*time;
  for (const auto count : kCounts) this->*count += other.*count;
  return *this;
}

JobHistory& JobHistory::operator*=(double factor) {
  for (const auto time : kTimes) this->*time = this->*time * factor;
  for (const auto count : kCounts) this->*count *= factor;
  return *this;
}

}  // namespace stallcast::models
