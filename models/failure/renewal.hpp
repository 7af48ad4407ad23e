#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/contract/failure.hpp"
#include "models/contract/statistics.hpp"
#include "models/failure/shelf.hpp"
#include "stallcast/histories.hpp"
#include "stallcast/units.hpp"

/// A job over months of run time: stretches of steps and saves, broken by failures and by shifts of
/// GPUs, as a renewal process fed with what a detailed run measured. docs/models/failures.md,
/// docs/models/elastic.md.
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
  double away = 1.0;  ///< how often it hits while GPUs are lent, over how often when all are there
};

/// Somewhere a save is kept.
struct CopyTier {
  Scope lost_with = Scope::beyond;  ///< smallest failure that takes the copy with it
  Seconds restore;                  ///< to read the state back from here
  std::vector<Seconds> after;       ///< from the start of a save until it is here, each save
  ShelfLife life{};                 ///< which of its saves can be loaded, and for how long
  std::int64_t every = 1;           ///< every n-th save comes here, from the first on
  std::int64_t whole = 1;           ///< of these every so many-th can be read back by itself
  bool overwrites = false;          ///< a save that begins takes the one before away
  /// Saves from one that can be read back from here to the next.
  [[nodiscard]] std::int64_t counts() const { return every * whole; }
};

/// Steps and saves on a number of GPUs.
struct JobPace {
  Seconds step;                 ///< mean wall time of a step, saves left out
  double step_deviation = 0.0;  ///< standard deviation over mean of one step
  Seconds slowed;               ///< a step takes so much longer that begins while a flush lasts
  std::vector<Seconds> stalls;  ///< of each measured save, without back-pressure; empty: no saves
  std::int64_t buffers = 0;     ///< saves in flight at one time; 0: a save ends before work goes on
  std::vector<Seconds> staged;  ///< from the start of each save until its buffer is free
  std::vector<Seconds> ahead;   ///< of each stall, what comes before the buffer; empty: nothing
  std::int64_t drains = 1;      ///< every so many-th save goes on to the last tier
  std::int64_t whole = 1;       ///< every so many-th is no increment
  std::vector<CopyTier> tiers;  ///< `after` of each as long as `stalls`
  Seconds refill;  ///< from all ranks being there until the first step has its data, extra
  Seconds mount;   ///< until all pods of the job have their volumes
};

/// Some GPUs are lent at the end of every period. docs/models/elastic.md.
struct Shifts {
  Seconds period, busy;  ///< `busy` is the part of a period in which they are away
  Seconds stop;          ///< of the processes, after the save
  double stays = 1.0;    ///< share of the GPUs that stays
  std::size_t tier = 0;  ///< through which the state goes, among `tiers` of either pace
  JobPace pace;          ///< of those that stay
  Seconds begun{};       ///< of a period, how much is over when a history begins; less than all
                         ///< but `busy`
  /// Whether they are to be away at date `t`.
  [[nodiscard]] bool away(Seconds t) const;
};

/// One job, as the renewal process sees it: its pace with all GPUs, and what disturbs it.
struct JobProcess : JobPace {
  std::string id;
  std::vector<FailureSource> failures;
  RecoveryParams recovery;
  std::optional<Shifts> shifts;
  /// A history ends when so much work is kept, in time of all GPUs; none: with the horizon.
  std::optional<Seconds> work;
};

/// Where the time of one history went, all GPUs of the job together and over their number; the
/// first seven sum to `horizon`.
struct JobHistory {
  Seconds kept;      ///< work that was not lost
  Seconds saving;    ///< stalls of saves
  Seconds lost;      ///< work that had to be done again
  Seconds restart;   ///< from failures until work went on
  Seconds waiting;   ///< for a spare host
  Seconds shifting;  ///< saves, stops and starts to lend GPUs and to have them back
  Seconds lent;      ///< inference had them
  /// The same as `lost` and `restart` by the clock, however many GPUs the job had then.
  Seconds lost_for, restart_for;
  double failures = 0.0, shifts = 0.0;
  double bad_saves = 0.0;  ///< tried in restarts and found bad
  double lost_all = 0.0;   ///< restarts that found no save that could be loaded
  double unended = 0.0;    ///< 1: its work was not done by the date at which it was given up
  double runs = 0.0;       ///< histories that it is the sum of
  /// Time the job had its GPUs.
  [[nodiscard]] Seconds own() const { return kept + saving + lost + restart + waiting + shifting; }
  [[nodiscard]] Seconds horizon() const { return own() + lent; }
  JobHistory& operator+=(const JobHistory& other);
  JobHistory& operator*=(double factor);
};

/// History number `run` with a save after every `steps` steps. The same seed and run number give
/// the same failures whatever the interval: what is searched is compared under equal bad luck.
[[nodiscard]] JobHistory history(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                                 std::uint64_t run);

/// Many histories.
struct JobOutlook {
  Series kept;                          ///< share of each history's own time
  Series used;                          ///< of that, what GPUs worked, also on what was lost
  Series lasted;                        ///< s that each history took
  JobHistory mean;                      ///< times, and failures
  std::vector<JobHistory> groups = {};  ///< sums of histories, as Histories has them

  /// What the groups add to `of` over `per` of them all.    [docs/models/blame.md, eq. 2]
  using Sum = std::function<double(const JobHistory&)>;
  [[nodiscard]] Histories apart(const Sum& of, const Sum& per) const;
  /// To `kept` over `horizon`.
  [[nodiscard]] Histories apart() const;
};
/// At most `runs` of them. Where each ends with its work, as many as take the time of so many
/// horizons tell enough.    [docs/models/whole-run.md, eq. 6]
[[nodiscard]] JobOutlook outlook(const JobProcess& job, std::int64_t steps, std::uint64_t seed,
                                 std::int64_t runs);

/// What a restart takes after a failure of any scope, whatever is left to restore.
[[nodiscard]] Seconds least_restart(const JobProcess& job);
/// What there is to say of a job that no restart ever gets back to work; nothing where one may.
[[nodiscard]] std::optional<JobOutlook> standstill(const JobProcess& job);
/// How many of its histories tell enough: fewer than it asks for where each has failures without
/// number; 0: not even one can be walked.
[[nodiscard]] std::int64_t histories(const JobProcess& job);

/// REQUIRES: not empty.
[[nodiscard]] Seconds mean_of(const std::vector<Seconds>& values);

/// Mean time between failures of the job, all kinds together; infinite without failures.
[[nodiscard]] Seconds mtbf(const JobProcess& job);

/// The number of steps between two saves that keeps most work, by search over `history`, and the
/// share it keeps. Starts from the closed form of Daly. REQUIRES: failures and saves.
struct BestInterval {
  std::int64_t steps = 1;
  double kept = 0.0;
  double at_present = 0.0;  ///< what the present interval keeps of the same histories
};
/// `present` is the interval as it is, in steps; 0: none that is to be compared.
[[nodiscard]] BestInterval best_interval(const JobProcess& job, std::uint64_t seed,
                                         std::int64_t present = 0);

}  // namespace stallcast::models
