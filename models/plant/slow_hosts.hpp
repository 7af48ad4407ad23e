#pragma once

#include <cstdint>
#include <string>

#include "engine/sim/ledger.hpp"
#include "models/contract/host.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::models {

/// When the stragglers of a host class are slow. What they are changes at the first step of a job
/// that begins at a date or after it. docs/models/folding.md.
class SlowHosts {
 public:
  explicit SlowHosts(const HostParams& host);
  /// The run is at date `at`; whether that changed what they are.
  bool pass(Seconds at);
  [[nodiscard]] bool slow() const { return changes_ % 2 == 1; }
  /// The run is at date `at`.
  void describe(sim::Ledger& ledger, Seconds at);

 private:
  /// Date of the next change; infinite: none.
  [[nodiscard]] Seconds next() const;
  Seconds from_, until_;
  std::int64_t changes_ = 0;
};

/// What the stragglers of its hosts cost a job.    [docs/models/folding.md, eq. 4]
class StragglerCost {
 public:
  /// The ranks of a class, on stragglers or not, are ready for the barrier `time` after the start
  /// of the step.
  void arrive(bool straggler, Seconds time);
  /// All are: yields how long the others waited for the stragglers; infinite without others.
  Seconds end_step();
  void describe(sim::Ledger& ledger);
  /// Adds the metrics `name`slow.*; nothing without stragglers.
  void report(const std::string& name, Seconds wall, RunResult& out) const;

 private:
  /// Ranks of one sort.
  struct Side {
    Seconds last, sum;  ///< of the present step, of all steps
    bool there = false;
  };
  Side slow_, others_;
  std::int64_t steps_ = 0;
  Seconds cost_;
};

}  // namespace stallcast::models
