#include <algorithm>
#include <cmath>
#include <limits>

#include "models/failure/renewal.hpp"

/// Jobs that fail so often that there is nothing to walk through, or far too much.
namespace stallcast::models {
namespace {

// Failures that say more than any question asks for: means to 0.1 % or better.
constexpr double kEnough = 1e7;
// A single history of more is not walked.
constexpr double kMost = 10.0 * kEnough;
// Restarts of all histories that may be expected to end where none is said to.
constexpr double kNone = 1e-6;

double failures_of(const JobProcess& job) { return job.recovery.horizon / mtbf(job); }

}  // namespace

Seconds least_restart(const JobProcess& job) {
  const RecoveryParams& r = job.recovery;
  return r.detect + job.mount + r.start + r.init + job.refill;
}

Seconds mtbf(const JobProcess& job) {
  double rate = 0.0;
  for (const FailureSource& source : job.failures) rate += 1.0 / source.mtbf.in(unit::s);
  return rate > 0.0 ? Seconds::from(1.0 / rate, unit::s) : Seconds::infinity();
}

// A restart ends only in a gap between two failures of each kind that is as long; memoryless kinds
// are one.    [docs/models/failures.md, eq. 17]
std::optional<JobOutlook> standstill(const JobProcess& job) {
  if (job.failures.empty() || job.shifts) return std::nullopt;
  const Seconds restart = least_restart(job);
  const double time = static_cast<double>(job.recovery.runs) * job.recovery.horizon.in(unit::s);
  const auto gaps = [&](double rate, double exponent) {  // their logarithm
    return std::log(time * rate) - exponent;
  };
  double memoryless = 0.0, least = std::numeric_limits<double>::infinity();
  for (const FailureSource& source : job.failures) {
    const double rate = 1.0 / source.mtbf.in(unit::s), k = source.shape;
    if (k == 1.0)
      memoryless += rate;
    else
      least = std::min(least,
                       gaps(rate, std::pow(restart / source.mtbf * std::tgamma(1.0 + 1.0 / k), k)));
  }
  if (memoryless > 0.0) least = std::min(least, gaps(memoryless, restart.in(unit::s)*memoryless));
  if (least >= std::log(kNone)) return std::nullopt;
  JobOutlook out;
  out.kept.add(0.0);
  out.mean.restart = out.mean.restart_for = job.recovery.horizon;
  out.mean.failures = failures_of(job);
  return out;
}

std::int64_t histories(const JobProcess& job) {
  const double each = failures_of(job);
  if (each > kMost) return 0;
  const auto runs = static_cast<double>(job.recovery.runs);
  return static_cast<std::int64_t>(std::clamp(std::ceil(kEnough / each), 1.0, runs));
}

}  // namespace stallcast::models
