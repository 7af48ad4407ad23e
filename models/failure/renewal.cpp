#include "models/failure/renewal.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <set>

#include "engine/base/random.hpp"
#include "models/failure/interval.hpp"

namespace stallcast::models {
namespace {

Seconds mean_of(const std::vector<Seconds>& values) {
  return std::accumulate(values.begin(), values.end(), Seconds{}) /
         static_cast<double>(values.size());
}

/// Dates of the failures of one kind, in run time.
class FailureClock {
 public:
  FailureClock(const JobProcess& job, const FailureSource& source, std::uint64_t seed,
               std::uint64_t run)
      : source_(source),
        // F(t) = 1 - exp(-(t / scale)^k), mean = scale Gamma(1 + 1 / k)    [failures.md, eq. 5]
        scale_(source.mtbf / std::tgamma(1.0 + 1.0 / source.shape)),
        random_(seed, "job." + job.id, "failures." + source.id, run) {
    advance(Seconds{});
  }
  [[nodiscard]] Seconds next() const { return next_; }
  [[nodiscard]] const FailureSource& source() const { return source_; }
  void advance(Seconds now) {
    const double u = random_.uniform();
    next_ = now + scale_ * std::pow(-std::log1p(-u), 1.0 / source_.shape);
    // drawn in every case: later draws do not shift
    correlated_ = random_.uniform() < source_.correlated;
  }
  [[nodiscard]] Scope scope() const {
    return correlated_ ? std::max(source_.scope, Scope::rack) : source_.scope;
  }

 private:
  const FailureSource& source_;
  Seconds scale_;
  base::RandomStream random_;
  Seconds next_;
  bool correlated_ = false;
};

/// Idle hosts, and the dates at which failed ones come back.
class Spares {
 public:
  explicit Spares(std::optional<std::int64_t> count) : free_(count) {}
  /// Takes `hosts` hosts for some that failed at `now`; returns the date at which it has them.
  Seconds take(double hosts, Seconds now, Seconds repair) {
    if (!free_) return now;
    Seconds ready = now;
    for (double left = hosts; left > 0.0; left -= 1.0) back_.insert(now + repair);
    for (double left = hosts; left > 0.0; left -= 1.0) {
      while (!back_.empty() && *back_.begin() <= now) {
        back_.erase(back_.begin());
        ++*free_;
      }
      if (*free_ > 0) {
        --*free_;
        continue;
      }
      ready = std::max(ready, *back_.begin());
      back_.erase(back_.begin());
    }
    return ready;
  }

 private:
  std::optional<std::int64_t> free_;
  std::multiset<Seconds> back_;
};

/// One history, event by event.
class Walk {
 public:
  Walk(const JobProcess& job, std::int64_t steps, std::uint64_t seed, std::uint64_t run)
      : job_(job),
        work_(job.step * static_cast<double>(steps)),
        // Steps vary independently: the deviation of n of them grows by sqrt(n).
        deviation_(job.step * (job.step_deviation * std::sqrt(static_cast<double>(steps)))),
        random_(seed, "job." + job.id, "months", run),
        spares_(job.recovery.spares) {
    for (const FailureSource& source : job.failures) clocks_.emplace_back(job, source, seed, run);
    for (std::size_t t = 0; t < job.tiers.size(); ++t)
      shelves_.emplace_back(
          job.tiers[t].life,
          base::RandomStream(seed, "job." + job.id, "bad saves." + std::to_string(t), run));
    if (job.stalls.empty()) return;
    stall_ = mean_of(job.stalls);
    for (const CopyTier& tier : job.tiers) settled_ = std::max(settled_, mean_of(tier.after));
    if (job.buffers > 0) staged_ = mean_of(job.staged);
  }

  JobHistory run() {
    const Seconds horizon = job_.recovery.horizon;
    while (now_ < horizon) {
      FailureClock* clock = next_failure();
      const Seconds until = clock == nullptr ? horizon : std::min(clock->next(), horizon);
      work_until(until);
      if (until < horizon) come_back(*clock, horizon);
    }
    out_.kept = position_;
    return out_;
  }

 private:
  /// A save on its way to the tiers.
  struct Save {
    Seconds position;
    std::vector<Seconds> at;  ///< date at which each tier has it
  };

  FailureClock* next_failure() {
    FailureClock* first = nullptr;
    for (FailureClock& clock : clocks_)
      if (first == nullptr || clock.next() < first->next()) first = &clock;
    return first;
  }

  // Steps and saves in turn from now on, cut off at `end`.
  void work_until(Seconds end) {
    skip(end);
    while (now_ < end) {
      const Seconds block = job_.stalls.empty()
                                ? end - now_
                                : std::max(work_ + deviation_ * random_.normal(), Seconds{});
      const Seconds worked = std::min(block, end - now_);
      now_ += worked;
      position_ += worked;
      if (worked < block || job_.stalls.empty()) break;
      save(end);
    }
    now_ = end;
  }

  // Many undisturbed cycles at once, by their mean and variance; the last ones before `end` are
  // walked, as many as it takes until what was skipped is in every tier.
  void skip(Seconds end) {
    if (job_.stalls.empty()) return;
    // Saves wait for a buffer when they come faster than flushes end.
    Seconds cycle = work_ + stall_;
    if (job_.buffers > 0) cycle = std::max(cycle, staged_ / static_cast<double>(job_.buffers));
    constexpr double kWalked = 8.0;
    const double walked = kWalked + std::ceil(settled_ / cycle);
    const double count = std::floor((end - now_) / cycle * (1.0 - kMargin) - walked);
    if (count < kWalked) return;
    const Seconds block = work_ * count + deviation_ * (std::sqrt(count) * random_.normal());
    const Seconds stalled = (cycle - work_) * count;
    if (now_ + block + stalled > end) return;
    now_ += block + stalled;
    position_ += block;
    out_.saving += stalled;
    for (Shelf& shelf : shelves_) shelf.skip(position_, work_, count);
  }

  void save(Seconds end) {
    const auto i = static_cast<std::size_t>(random_.below(job_.stalls.size()));
    const Seconds began = now_;
    // max(0, end of the flush that holds the last buffer - now)    [checkpoint.md, eq. 3]
    Seconds start = now_;
    if (job_.buffers > 0 && flushing_.size() >= static_cast<std::size_t>(job_.buffers)) {
      start = std::max(start, flushing_.front());
      flushing_.pop_front();
    }
    const Seconds until = start + job_.stalls[i];
    now_ = std::min(until, end);
    out_.saving += now_ - began;
    if (until > end) return;  // the failure hit the save
    Save saved{.position = position_, .at = {}};
    for (const CopyTier& tier : job_.tiers) saved.at.push_back(start + tier.after[i]);
    if (job_.buffers > 0) flushing_.push_back(start + job_.staged[i]);
    saves_.push_back(std::move(saved));
    settle();
  }

  // What has arrived by now is held; what is still on its way stays there.
  void settle() {
    for (const Save& save : saves_)
      for (std::size_t t = 0; t < shelves_.size(); ++t)
        if (save.at[t] <= now_) shelves_[t].add(save.position);
    while (!saves_.empty() && std::all_of(saves_.front().at.begin(), saves_.front().at.end(),
                                          [&](Seconds at) { return at <= now_; }))
      saves_.pop_front();
  }

  // The state to go on from after a failure of this scope: the newest that can be loaded, and of
  // these the quickest to read. What the failure took with it is gone. Yields the time it takes to
  // read it, and bad ones before it.    [docs/models/failures.md, eq. 9]
  Seconds fall_back(Scope scope) {
    settle();
    saves_.clear();  // flushes end with the processes that ran them
    flushing_.clear();
    Seconds position, restore, in_vain;
    double tried = 0.0;
    for (std::size_t t = 0; t < shelves_.size(); ++t) {
      const CopyTier& tier = job_.tiers[t];
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
    for (Shelf& shelf : shelves_) shelf.rewind(position);
    out_.lost += position_ - position;
    position_ = position;
    return restore + in_vain;
  }

  // From a failure until work goes on; a failure on the way starts it again.
  void come_back(FailureClock& first, Seconds horizon) {
    const RecoveryParams& r = job_.recovery;
    FailureClock* clock = &first;
    for (;;) {
      out_.failures += 1.0;
      const Scope scope = clock->scope();
      const FailureSource& source = clock->source();
      Seconds ready = now_ + r.detect;
      Seconds waited;  // after the failure was noticed
      if (scope >= Scope::host) {
        const double hosts = scope == Scope::rack ? source.group : 1.0;
        waited = std::max(spares_.take(hosts, now_, source.repair) - ready, Seconds{});
        ready += waited + r.replace;
      }
      ready += job_.mount + r.start + r.init + fall_back(scope) + job_.refill;
      clock->advance(now_);
      clock = next_failure();
      const Seconds until = std::min({ready, clock->next(), horizon});
      waited = std::clamp(until - now_ - r.detect, Seconds{}, waited);
      out_.waiting += waited;
      out_.restart += until - now_ - waited;
      now_ = until;
      if (until == ready || until == horizon) return;
    }
  }

  // Relative spread of the length of many cycles that a skip leaves room for.
  static constexpr double kMargin = 0.02;

  const JobProcess& job_;
  Seconds work_, deviation_;
  base::RandomStream random_;
  Spares spares_;
  std::vector<FailureClock> clocks_;
  // Means: of the stall, until every tier has a save, until its buffer is free.
  Seconds stall_, settled_, staged_;
  Seconds now_, position_;
  std::vector<Shelf> shelves_;  // by tier
  std::deque<Save> saves_;
  std::deque<Seconds> flushing_;  // dates at which buffers are free again
  JobHistory out_;
};

}  // namespace

JobHistory history(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                   std::uint64_t run) {
  return Walk(job, steps, seed, run).run();
}

JobOutlook outlook(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                   std::int64_t runs) {
  JobOutlook out;
  const double n = static_cast<double>(runs);
  for (std::int64_t run = 0; run < runs; ++run) {
    const JobHistory one = history(job, steps, seed, static_cast<std::uint64_t>(run));
    out.kept.add(one.kept / one.horizon());
    out.mean.kept += one.kept / n;
    out.mean.saving += one.saving / n;
    out.mean.lost += one.lost / n;
    out.mean.restart += one.restart / n;
    out.mean.waiting += one.waiting / n;
    out.mean.failures += one.failures / n;
    out.mean.bad_saves += one.bad_saves / n;
    out.mean.lost_all += one.lost_all / n;
  }
  return out;
}

Seconds mtbf(const JobProcess& job) {
  double rate = 0.0;
  for (const FailureSource& source : job.failures) rate += 1.0 / source.mtbf.in(unit::s);
  return rate > 0.0 ? Seconds::from(1.0 / rate, unit::s) : Seconds::infinity();
}

BestInterval best_interval(const JobProcess& job, std::uint64_t seed) {
  // So many failures that a history's luck weighs less than a step of the search.
  constexpr double kFailures = 4000.0;
  const double per_run = std::max(job.recovery.horizon / mtbf(job), 1e-3);
  const auto runs = static_cast<std::int64_t>(
      std::clamp(std::ceil(kFailures / per_run), 4.0, static_cast<double>(job.recovery.runs)));
  BestInterval best;
  std::set<std::int64_t> tried;
  const auto attempt = [&](double steps) {
    const auto n = static_cast<std::int64_t>(std::max(std::round(steps), 1.0));
    if (!tried.insert(n).second) return;
    const double kept = outlook(job, n, seed, runs).kept.mean();
    if (kept > best.kept) best = {n, kept};
  };
  // Eighths to eight times the closed form, then finer around the best of these. Where saves
  // hardly stall, what the flush lets through is the shortest interval worth trying.
  const Seconds flush =
      job.buffers > 0 ? mean_of(job.staged) / static_cast<double>(job.buffers) : Seconds{};
  const Seconds stall = std::max(mean_of(job.stalls), job.step * 1e-3);
  const double guess = std::max(daly_interval(stall, mtbf(job)), flush) / job.step;
  for (int k = -6; k <= 6; ++k) attempt(guess * std::exp2(0.5 * k));
  const double middle = static_cast<double>(best.steps);
  for (int k = -4; k <= 4; ++k) attempt(middle * std::exp2(0.1 * k));
  return best;
}

}  // namespace stallcast::models
