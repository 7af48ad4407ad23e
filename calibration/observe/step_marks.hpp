#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stallcast/units.hpp"

namespace stallcast::calibration {

class ObservationBuilder;

/// Spans of one trace file that say what a step is, kept until its end because traces are not in
/// the order of time. At most kMostMarks of each; the rest is counted.
class StepMarks {
 public:
  /// From `start` to `end` on `lane`, a process or thread that trains.
  struct Span {
    std::int64_t rank = 0;
    std::int64_t lane = 0;
    Seconds start;
    Seconds end;
  };
  static constexpr std::size_t kMostMarks = std::size_t{1} << 20U;

  void step(const Span& span) { add(steps, span); }        ///< a whole step
  void wait(const Span& span) { add(waits, span); }        ///< for a batch
  void compute(const Span& span) { add(computes, span); }  ///< what a step does with its batch
  void epoch(const Span& span) { add(epochs, span); }
  void save(const Span& span) { add(saves, span); }
  void load(const Span& span) { add(loads, span); }
  /// Steps in it are none of the training.
  void evaluation(const Span& span) { add(evaluations, span); }

  std::vector<Span> steps, waits, computes, epochs, saves, loads, evaluations;
  std::uint64_t left_out = 0;
  std::string marked_by;

 private:
  void add(std::vector<Span>& to, const Span& span) {
    if (to.size() < kMostMarks)
      to.push_back(span);
    else
      ++left_out;
  }
};

/// Steps, waits and saves of `marks` into `builder`.
/// With whole steps: the waits that begin in a step are its wait, its compute is the rest.
/// Else, with computes: a step ends with its compute and begins with the end of the one before, or
/// with the epoch; its wait is what lies between them, less the waits' own length when waits are
/// marked. Computes in an evaluation are no steps, and the step behind it begins with its end.
void resolve_marks(const StepMarks& marks, ObservationBuilder& builder);

}  // namespace stallcast::calibration
