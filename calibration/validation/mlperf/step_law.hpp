#pragma once

#include <algorithm>
#include <initializer_list>

#include "calibration/validation/mlperf/submission.hpp"

/// Time of a training step of the benchmark program.                [docs/validation-mlperf.md]
namespace stallcast::calibration::mlperf {

/// (sum of t^q)^(1/q): nearly the largest, more where several are near it. One at least is above 0.
///                                                                                       [eq. 1]
[[nodiscard]] Seconds meet(std::initializer_list<Seconds> times, double knee);

/// Of a run: the first one's surplus counts a fifth.
inline constexpr double kEpochs = 5.0;

/// What a system's storage and clients can deliver, as the step law takes it.
struct Supply {
  Rate aggregate;       ///< of the storage
  Rate host;            ///< into one client
  Rate worker;          ///< into one reading process
  double fill = 1.0;    ///< rate of the opening burst over `rate`
  Seconds first_epoch;  ///< what the first epoch's first step takes beyond the others'

  /// Into `hosts` clients together.                                                  [eq. 6]
  [[nodiscard]] Rate rate(double hosts) const { return std::min(aggregate, host * hosts); }
};

/// The times whose largest is nearly the step's.
struct LawParts {
  Seconds base;     ///< compute, cost of the program, barrier                            [eq. 2]
  Seconds storage;  ///< all batches of a step through storage and NICs                   [eq. 3]
  Seconds worker;   ///< a batch through a rank's reading processes                       [eq. 4]
  Seconds opens;    ///< files of a step opened on a host                                 [eq. 5]
  double knee = 1.0;

  [[nodiscard]] Seconds step() const;  ///< [eq. 1]
};

/// Steps of an epoch by the round's rule for the size of a data set: 500 steps or five times the
/// clients' memory, in whole files.                                                    [eq. 14]
[[nodiscard]] double steps_of(const System& system, double accelerators);

[[nodiscard]] LawParts step_parts(const System& system, double accelerators, double steps,
                                  const Supply& supply);

/// Compute time over step time: AU of all steps but the first.                          [eq. 1]
[[nodiscard]] double utilization(const System& system, double accelerators, double steps,
                                 const Supply& supply);

/// Mean over the epochs: all reading processes fill the queues at once, or, without such, each rank
/// goes through the names of all files.                                             [eq. 16, 17]
[[nodiscard]] Seconds first_step(const System& system, double accelerators, double steps,
                                 const Supply& supply);

/// What the surplus of the first epoch adds to the mean first step of a run.           [eq. 16]
[[nodiscard]] Seconds mean_first_epoch(const Supply& supply);

/// The most accelerators, in whole ones per host, that keep the workload's bar; one per host where
/// not even these do.                                                                  [eq. 15]
[[nodiscard]] double supported(const System& system, const Supply& supply);

}  // namespace stallcast::calibration::mlperf
