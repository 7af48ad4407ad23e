#pragma once

#include <memory>
#include <optional>
#include <string>

#include "stallcast/design.hpp"

/// What is known of the metrics of a run before anything is simulated.
namespace stallcast::models {

/// Why a run does not report a metric.
struct Absence {
  std::string lacks;      ///< "a checkpoint", after "the scenario has no"; "" where it has all
  std::string hint;       ///< what to write
  bool of_value = false;  ///< a value is missing that a plan or a sweep may set
};

/// What to write for a job that restores nothing.
inline constexpr const char* kRestoreHint =
    R"(give its "checkpoint" a "restore": { "read": "all" }, which simulates one after the run, or )"
    R"(a failure a date ("at") after its first save)";

/// What is known of the metrics of one design; what several need is found once.
class KnownFigures {
 public:
  /// `design` outlives it. REQUIRES: it was resolved without errors, targets aside.
  explicit KnownFigures(const Design& design);
  ~KnownFigures();

  /// Why no run of the design reports `metric`, a pattern with "*" included: it has nothing that
  /// the metric is of. nullopt also where only a simulation tells, as whether a save ends in the
  /// window. Metrics that plans alone find are not looked at.
  [[nodiscard]] std::optional<Absence> absence_of(const std::string& metric);

 private:
  class Look;
  std::unique_ptr<Look> look_;
};

}  // namespace stallcast::models
