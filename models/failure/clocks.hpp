#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "engine/base/random.hpp"
#include "models/failure/renewal.hpp"

/// What decides when failures come, and when hosts and processes are back.
namespace stallcast::models {

/// Dates of the failures of one kind, in run time.
class FailureClock {
 public:
  FailureClock(const JobProcess& job, const FailureSource& source, std::uint64_t seed,
               std::uint64_t run)
      : source_(source),
        // F(t) = 1 - exp(-(t / scale)^k), mean = scale Gamma(1 + 1 / k)    [failures.md, eq. 5]
        scale_(source.mtbf / std::tgamma(1.0 + 1.0 / source.shape)),
        random_(seed, "job." + job.id, "failures." + source.id, run),
        shifts_(job.shifts ? &*job.shifts : nullptr),
        missed_(seed, "job." + job.id, "missed." + source.id, run) {
    advance(Seconds{});
  }
  [[nodiscard]] Seconds next() const { return next_; }
  [[nodiscard]] const FailureSource& source() const { return source_; }
  void advance(Seconds now) {
    next_ = now;
    do {
      const double u = random_.uniform();
      next_ += scale_ * std::pow(-std::log1p(-u), 1.0 / source_.shape);
      // drawn in every case: later draws do not shift
      correlated_ = random_.uniform() < source_.correlated;
    } while (shifts_ != nullptr && shifts_->away(next_) && missed_.uniform() >= source_.away);
  }
  [[nodiscard]] Scope scope() const {
    return correlated_ ? std::max(source_.scope, Scope::rack) : source_.scope;
  }

 private:
  const FailureSource& source_;
  Seconds scale_;
  base::RandomStream random_;
  const Shifts* shifts_;
  base::RandomStream missed_;  ///< failures of GPUs that are lent hit somebody else
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

/// What a job misses after failures. One that comes on the way back adds to it: what was missed
/// before is there no sooner.    [docs/models/failures.md, eq. 14]
class Missing {
 public:
  explicit Missing(const RecoveryParams& recovery)
      : detect_(recovery.detect), replace_(recovery.replace), spares_(recovery.spares) {}
  /// A failure at `now` takes `hosts` hosts, which are repaired `repair` later. REQUIRES: none of
  /// those before it came later.
  void fail(Seconds now, double hosts, Seconds repair) {
    const Seconds noticed = now + detect_;
    there_ = std::max(there_, noticed);
    if (hosts <= 0.0) return;
    if (spare_ <= now) noticed_ = noticed;
    const Seconds spare = spares_.take(hosts, now, repair);
    spare_ = std::max(spare_, spare);
    there_ = std::max(there_, std::max(noticed, spare) + replace_);
  }
  /// Date at which processes can start.
  [[nodiscard]] Seconds there() const { return there_; }
  /// What of the time between two dates goes by until spares are there.
  [[nodiscard]] Seconds waiting(Seconds from, Seconds until) const {
    return std::max(Seconds{}, std::min(until, spare_) - std::max(from, noticed_));
  }

 private:
  Seconds detect_, replace_;
  Spares spares_;
  Seconds there_;
  Seconds noticed_, spare_;  ///< hosts are waited for from and until these dates
};

}  // namespace stallcast::models
