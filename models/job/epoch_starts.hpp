#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/sim/ledger.hpp"
#include "models/contract/phase_clock.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// What a job loses each time its loaders begin with empty queues: at the beginning of an epoch,
/// and after a restart. docs/models/whole-run.md, equation 8.
class EpochStarts {
 public:
  using Requests = std::map<std::string, double>;
  using Phases = std::array<Seconds, kPhases>;

  /// Loaders begin, of an epoch or, where `again`, after a failure in it. Their queues have turned
  /// over after the second of `turns` steps, and once round all readers after the first.
  void begin(bool again, std::array<std::int64_t, 2> turns) {
    open_ = {.again = again, .turns = turns};
  }
  /// So many steps are `done` since then, in `time`: without saves, and what comes once besides.
  void step(std::int64_t done, Seconds time) {
    open_.done = done;
    open_.time = time;
  }
  /// So the last rank waited for the first of them, for what comes once besides, too.
  void waited(const WaitSplit& wait, Seconds once) {
    open_.waits = wait.by_phase;
    open_.waits[static_cast<std::size_t>(Phase::metadata)] -= once;
  }
  /// Whether that many steps are a turn: what was asked for by then is to be told.
  [[nodiscard]] bool turned() const { return open_.done == next(); }
  void turn(Requests asked) {
    open_.marks[open_.turned++] = {open_.done, open_.time, std::move(asked)};
  }
  /// It ended, or the run or a failure did in it. What it lost.
  Seconds end();
  /// What steps of it asked for ahead, of those that it counts as `asked` since `before`.
  [[nodiscard]] Requests ahead(const Requests& asked, const Requests& before) const;
  /// A failure undid so many steps: what of theirs was lost so.
  Seconds lose(std::int64_t steps);

  /// Of the steps that are kept, in all and by what ranks waited for.
  [[nodiscard]] Seconds lost() const;
  [[nodiscard]] Phases lost_by() const;
  /// Epochs that were begun.
  [[nodiscard]] std::int64_t begun() const;
  /// What another epoch loses: the mean of those after the first, else the first, of which `once`
  /// comes once.
  [[nodiscard]] Seconds another(Seconds once) const;

  void describe(sim::Ledger& ledger) {
    ledger.state(open_.turned);
    if (next() > open_.done) ledger.bound(static_cast<double>(next() - open_.done), 1.0);
    ledger.count(open_.done);
    ledger.count(open_.time);
  }

 private:
  /// The steps after which it looks next.
  [[nodiscard]] std::int64_t next() const {
    return open_.turned < open_.turns.size() ? open_.turns[open_.turned] : -1;
  }
  struct Mark {
    std::int64_t steps = 0;
    Seconds time{};
    Requests asked{};
  };
  struct Start {
    bool again = false;
    std::array<std::int64_t, 2> turns{};
    std::int64_t done = 0;
    Seconds time{};
    Phases waits{};
    std::array<Mark, 2> marks{};
    std::size_t turned = 0;
  };
  struct Ended {
    bool again = false;
    std::int64_t steps = 0;
    Seconds lost{};
    Phases by{};
  };
  /// The last turn that as many steps followed; nullptr where none did.
  [[nodiscard]] const Mark* mark() const;

  Start open_;
  std::vector<Ended> ended_;
};

}  // namespace stallcast::models
