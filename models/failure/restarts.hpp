#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/task.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/contract/statistics.hpp"
#include "models/failure/clocks.hpp"
#include "models/plant/plant.hpp"
#include "models/record/recorder.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// Failures of one job that have a date: when the next comes, how long the way back is, and what
/// they cost. docs/models/failures.md, "At a date".
class Restarts {
 public:
  Restarts(const Design& design, const JobDesign& job, Plant& plant, sim::Context& context);

  /// From now on `recorder` receives events, too.
  void record(Recorder& recorder, const std::string& job);
  /// The job starts. What failed before does nothing to it.
  void begin();
  /// The job ends.
  void over() {
    at_work_ = false;
    over_ = context_.now() - run_began_;
  }
  /// Date of the next failure; infinite: none comes.
  [[nodiscard]] Seconds next() const;
  /// Whether it has come. What ends at its date has ended before it.
  [[nodiscard]] bool failed() const;
  /// It comes now, when nothing is under way that could end.
  void strike() { struck_ = true; }
  /// Whether its date is there.
  [[nodiscard]] bool due() const;
  /// `date`, or that of the next failure when it is earlier.
  [[nodiscard]] Seconds until_failure(Seconds date) const { return std::min(date, next()); }

  /// Takes the next failure. REQUIRES: it has come.
  [[nodiscard]] Outage take();
  /// Until somebody notices `outage`.
  [[nodiscard]] sim::Task<void> notice(const Outage& outage);
  /// From then on until all processes can read their state, or the next failure comes.
  ///    [docs/models/failures.md, eq. 14]
  [[nodiscard]] sim::Task<void> start();
  /// What the start consists of, in turn, and when it began; it may be cut short.
  struct Way {
    Seconds began;
    std::array<std::pair<std::string_view, Seconds>, 5> parts{};
  };
  /// Until its processes can ask for data, the first time; nullopt where nothing says how long.
  ///    [docs/models/failures.md, eq. 16]
  [[nodiscard]] std::optional<Seconds> startup() const;
  /// Of the last start.
  [[nodiscard]] const Way& way() const { return way_; }
  /// Time that reading the state from storage outside the hosts is said to take.
  [[nodiscard]] std::optional<Seconds> restore() const { return recovery_.restore; }

  /// Work goes on after one restart.
  struct Course {
    Seconds failed;      ///< date
    Seconds stopped;     ///< date up to which the time of steps and saves is known
    Seconds lost;        ///< time of steps that are done again, since the save
    std::int64_t done;   ///< steps so far, those included
    std::int64_t again;  ///< number of those
  };
  void end(const Course& course);
  /// `steps` are done in all.
  void end_step(std::int64_t steps);
  /// `steps` are done in all.
  void describe(sim::Ledger& ledger, std::int64_t steps);

  /// Time from failures until work went on, that of steps under way included.
  [[nodiscard]] Seconds time() const { return time_; }
  /// What that time was spent on; the restore is added by who does it.
  [[nodiscard]] WaitSplit& blamed() { return blamed_; }
  /// Adds the metrics `name`restart.*, and warns of what did nothing; nothing without failures.
  /// `elsewhere`: whether a failure, by its id, struck another job of the row.
  void report(const std::string& name, const ResourceTable& resources,
              const std::function<bool(const std::string&)>& elsewhere, RunResult& out) const;
  /// Whether a failure of this id came while it was at work.
  [[nodiscard]] bool struck_by(const std::string& failure) const;

 private:
  /// From now until date `date` of the run; zero when it has passed.
  [[nodiscard]] Seconds left_until(Seconds date) const;
  /// Of the way back, what went by since `start`.
  void pass(Seconds start);

  sim::Context& context_;
  std::vector<Outage> outages_;
  bool recovers_;  ///< the scenario says how
  RecoveryParams recovery_;
  Seconds mount_;
  Missing missing_;  ///< dates from the beginning of the run
  ResourceIndex own_, waiting_for_;
  Seconds run_began_;  ///< date, before 0 by what was skipped
  bool at_work_ = false, struck_ = false;
  Seconds begins_, over_;  ///< dates of the run
  std::size_t passed_ = 0;
  std::size_t early_ = 0;  ///< of these, before the job began
  Way way_;
  Lane* lane_ = nullptr;
  bool restarting_ = false;
  Seconds time_, waited_;
  WaitSplit blamed_;
  std::int64_t back_at_ = 0;  ///< number of the step that brings the job where it was; 0: it is
  Seconds behind_since_;      ///< date
  Series durations_, lost_, again_, behind_;
};

}  // namespace stallcast::models
