#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/failure/failure.hpp"
#include "models/failure/shelf.hpp"
#include "models/statistics.hpp"
#include "stallcast/units.hpp"

/// A job over months of run time: stretches of steps and saves, broken by failures, as a renewal
/// process fed with what a detailed run measured. docs/models/failures.md.
namespace stallcast::models {

/// Failures of one kind that hit a job.
struct FailureSource {
  std::string id;
  Seconds mtbf;  ///< of the job: that of one unit over its units
  double shape = 1.0;
  Scope scope = Scope::host;
  double correlated = 0.0;  ///< share that takes `group` hosts, as a rack does
  double group = 1.0;
  Seconds repair;
};

/// Somewhere a save is kept.
struct CopyTier {
  Scope lost_with = Scope::beyond;  ///< smallest failure that takes the copy with it
  Seconds restore;                  ///< to read the state back from here
  std::vector<Seconds> after;       ///< from the start of a save until it is here, each save
  ShelfLife life{};                 ///< which of its saves can be loaded, and for how long
};

/// One job, as the renewal process sees it.
struct JobProcess {
  std::string id;
  Seconds step;                 ///< mean wall time of a step, saves left out
  double step_deviation = 0.0;  ///< standard deviation over mean of one step
  std::vector<Seconds> stalls;  ///< of each measured save, without back-pressure; empty: no saves
  std::int64_t buffers = 0;     ///< saves in flight at one time; 0: a save ends before work goes on
  std::vector<Seconds> staged;  ///< from the start of each save until its buffer is free
  std::vector<CopyTier> tiers;  ///< `after` of each as long as `stalls`
  std::vector<FailureSource> failures;
  RecoveryParams recovery;
  Seconds refill;  ///< from all ranks being there until the first step has its data, extra
  Seconds mount;   ///< until all pods of the job have their volumes
};

/// Where the wall time of one history went; the first five sum to `horizon`.
struct JobHistory {
  Seconds kept;     ///< work that was not lost
  Seconds saving;   ///< stalls of saves
  Seconds lost;     ///< work that had to be done again
  Seconds restart;  ///< from failures until work went on
  Seconds waiting;  ///< for a spare host
  double failures = 0.0;
  double bad_saves = 0.0;  ///< tried in restarts and found bad
  double lost_all = 0.0;   ///< restarts that found no save that could be loaded
  [[nodiscard]] Seconds horizon() const { return kept + saving + lost + restart + waiting; }
};

/// History number `run` with a save after every `steps` steps. The same seed and run number give
/// the same failures whatever the interval: what is searched is compared under equal bad luck.
[[nodiscard]] JobHistory history(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                                 std::uint64_t run);

/// Many histories.
struct JobOutlook {
  Series kept;      ///< share of each history
  JobHistory mean;  ///< times, and failures
};
[[nodiscard]] JobOutlook outlook(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                                 std::int64_t runs);

/// Mean time between failures of the job, all kinds together; infinite without failures.
[[nodiscard]] Seconds mtbf(const JobProcess& job);

/// The number of steps between two saves that keeps most work, by search over `history`, and the
/// share it keeps. Starts from the closed form of Daly. REQUIRES: failures and saves.
struct BestInterval {
  std::int64_t steps = 1;
  double kept = 0.0;
};
[[nodiscard]] BestInterval best_interval(const JobProcess& job, std::uint64_t seed);

}  // namespace stallcast::models
