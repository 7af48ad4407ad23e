#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "models/failure/interval.hpp"
#include "models/failure/renewal.hpp"
#include "models/failure/under_way.hpp"

/// How often to save. docs/models/failures.md.
namespace stallcast::models {
namespace {

// What was measured of drains holds while none meets the one before it: at no shorter interval than
// the longest of them takes. Of a tier's, the quickest waited for no other. What is flushed out of
// memory waits for a buffer instead.    [docs/models/failures.md, eq. 18]
Seconds least_interval(const JobPace& job) {
  Seconds least;
  for (std::size_t t = 1; t < job.tiers.size(); ++t) {
    const CopyTier &from = job.tiers[t - 1], &to = job.tiers[t];
    if (job.buffers > 0 && from.after.front() < job.staged.front()) continue;
    Seconds drain = Seconds::infinity();
    const auto every = static_cast<std::size_t>(to.every);
    for (std::size_t i = 0; i < std::min(from.after.size(), to.after.size()); i += every)
      drain = std::min(drain, to.after[i] - from.after[i]);
    if (drain.finite()) least = std::max(least, drain / static_cast<double>(to.every));
  }
  return least;
}

}  // namespace

BestInterval best_interval(const JobProcess& job, std::uint64_t seed, std::int64_t present) {
  const double per_run = std::max(job.recovery.horizon / mtbf(job), 1e-3);
  // Four histories at least, unless one has failures enough for all.
  const double least_runs = std::clamp(std::ceil(1e6 / per_run), 1.0,
                                       std::min(4.0, static_cast<double>(job.recovery.runs)));
  const auto runs = static_cast<std::int64_t>(
      std::clamp(std::ceil(static_cast<double>(job.recovery.search) / per_run), least_runs,
                 static_cast<double>(job.recovery.runs)));
  const double least = std::ceil(least_interval(job) / job.step - 1e-6);
  BestInterval best;
  std::map<std::int64_t, double> tried;
  const auto keeps = [&](std::int64_t n) {
    const auto [found, fresh] = tried.try_emplace(n);
    if (fresh) found->second = outlook(job, n, seed, runs).kept.mean();
    if (found->second > best.kept) best = {n, found->second};
    return found->second;
  };
  const auto attempt = [&](double steps) {
    return keeps(static_cast<std::int64_t>(std::max({std::round(steps), least, 1.0})));
  };
  // From the middle to both sides, each until it has become worse twice in a row.
  const auto climb = [&](double middle, double octaves, int most) {
    const double at = attempt(middle);
    for (const double side : {-1.0, 1.0}) {
      double before = at;
      for (int k = 1, worse = 0; k <= most && worse < 2; ++k) {
        const double kept = attempt(middle * std::exp2(side * octaves * k));
        worse = kept < before ? worse + 1 : 0;
        before = kept;
      }
    }
  };
  // Eighths to eight times the closed form, then finer around the best of these. Where saves
  // hardly stall, what the flush lets through is the shortest interval worth trying.
  const Seconds flush =
      job.buffers > 0 ? mean_of(job.staged) / static_cast<double>(job.buffers) : Seconds{};
  const std::int64_t seldom = std::numeric_limits<std::int32_t>::max();  // no two flushes meet
  const Seconds stall =
      std::max(mean_of(job.stalls) + between_saves(job, seldom).slowed, job.step * 1e-3);
  climb(std::max(daly_interval(stall, mtbf(job)), flush) / job.step, 0.5, 6);
  climb(static_cast<double>(best.steps), 0.1, 4);
  if (present > 0) best.at_present = keeps(present);  // also where drains meet: they were measured
  return best;
}

}  // namespace stallcast::models
