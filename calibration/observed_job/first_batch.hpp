#pragma once

#include <cstdint>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/units.hpp"

/// What is known of a job's first batch: what was seen of it once, and what costs known otherwise
/// make of it. docs/models/observed-job.md, equation 7.
namespace stallcast::calibration {

/// Standard deviation of the logarithm of first batches of one job, from run to run.
inline constexpr double kFirstBatchSpread = 0.25;

/// A time and the standard deviation of its logarithm.
struct KnownTime {
  double value = 0.0;  ///< s
  double spread = 0.0;
};

/// Both together, each by its precision. What they differ by beyond their spreads is something that
/// `known` leaves out. A value of 0 says nothing.    [docs/models/observed-job.md, eq. 7]
[[nodiscard]] KnownTime combined(const KnownTime& seen, const KnownTime& known);

/// Whether first batches of later epochs, `later` on average, are as long as that of the run as far
/// as one loop's differ.    [docs/models/observed-job.md, eq. 10]
[[nodiscard]] bool begins_anew(double of_run, double later, std::uint64_t epochs);

/// What it takes to start a worker, as a profile or defaults know it.
struct StartCosts {
  Seconds start = Seconds::from(0.017, unit::s);  ///< of the training process, for each worker
  Seconds boot;                                   ///< of the worker
  double spread = 0.7;                            ///< of a first batch that is made of them
};

/// `profile` may be null: the defaults of the loader.
[[nodiscard]] StartCosts start_costs(const CalibrationProfile* profile);

}  // namespace stallcast::calibration
