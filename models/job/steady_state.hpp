#pragma once

#include <cstdint>
#include <string>

#include "engine/sim/ledger.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// How one rank spent a step, as a training loop that times itself sees it: the rest of the time
/// between two barriers is the release.
struct StepParts {
  Seconds wait;     ///< for the batch, without the start of worker processes
  Seconds compute;  ///< of its GPU
  Seconds barrier;  ///< from when it arrived
  Seconds rest;     ///< other work between the two
};

/// What such a loop reports: every step but the first of the run, waits, barriers and saves
/// included. docs/models/training.md.
class SteadyState {
 public:
  /// A step of one class of ranks. REQUIRES: every step adds the same weight, that of all classes.
  void add(const StepParts& parts, double weight);
  /// A step of all classes is over.
  void end_step() { ++steps_; }
  /// All ranks waited for a save after the step that ended last.
  void save(Seconds stall);
  void describe(sim::Ledger& ledger);
  /// Adds the metrics `name`steady.*; nothing when there was one step only.
  ///    [docs/models/training.md, eq. 5]
  void report(const std::string& name, RunResult& out) const;

 private:
  std::int64_t steps_ = 0;
  double added_ = 0.0;
  StepParts sum_;
  Seconds saving_;
};

}  // namespace stallcast::models
