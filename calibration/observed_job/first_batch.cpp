#include "calibration/observed_job/first_batch.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::calibration {
namespace {

/// Of a first batch, where probes measured what starting workers takes: opening and importing what
/// the data set needs is in no probe.
constexpr double kOfProbes = 0.25;
/// Half of a 90 % interval over the standard deviation.
constexpr double kHalf = 1.6448536269514722;

}  // namespace

KnownTime combined(const KnownTime& seen, const KnownTime& known) {
  if (!(seen.value > 0.0)) return known;
  if (!(known.value > 0.0)) return seen;
  const double apart = std::log(seen.value / known.value);
  const double of_seen = seen.spread * seen.spread;
  const double of_known = std::max(known.spread * known.spread, apart * apart - of_seen);
  const double all = of_seen + of_known;
  if (all <= 0.0) return seen;
  return {known.value * std::exp(apart * of_known / all), std::sqrt(of_seen * of_known / all)};
}

// ln(L / F) >= -1.645 x 0.25 x sqrt(1 + 1 / (E - 1))    [docs/models/observed-job.md, eq. 10]
bool begins_anew(double of_run, double later, std::uint64_t epochs) {
  const double laters = static_cast<double>(std::max<std::uint64_t>(epochs, 2) - 1);
  return later >= of_run * std::exp(-kHalf * kFirstBatchSpread * std::sqrt(1.0 + 1.0 / laters));
}

StartCosts start_costs(const CalibrationProfile* profile) {
  StartCosts out;
  if (profile == nullptr) return out;
  for (const ProfileValue& value : profile->values) {
    if (value.role != "loader" || value.kind != "pytorch") continue;
    if (value.field == "boot") out.boot = Seconds::from(value.value, unit::s);
    if (value.field != "start" || !(value.low > 0.0)) continue;
    out.start = Seconds::from(value.value, unit::s);
    out.spread = std::hypot(kOfProbes, std::log(value.high / value.low) / (2.0 * kHalf));
  }
  return out;
}

}  // namespace stallcast::calibration
