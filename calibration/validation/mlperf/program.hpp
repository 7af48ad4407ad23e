#pragma once

#include <string_view>

#include "calibration/validation/mlperf/ranges.hpp"

/// What the benchmark program (DLIO) costs besides computing and reading: no sheet says it, and it
/// is the same for all systems. docs/validation/mlperf.md says how each was found.
namespace stallcast::calibration::mlperf {

struct Program {
  std::string_view workload;
  Guess overhead;  ///< ms a step of a rank by itself
  Guess sharing;   ///< ms a step more where each core of a host has a rank; 0: none
  Guess barrier;   ///< ms a step per root of a rank
  Guess parse;     ///< GB/s that the core time of a reading process or thread allows
  Guess stream;    ///< GB/s that it takes in besides; 0: not known apart
  Guess iterator;  ///< ms until an iterator of tf.data reads
  Guess names;     ///< us for each file name that a rank lists and shuffles
  double steps;    ///< simulated at most: more change AU by less than it repeats
  const char* sample_stdev;
};

/// REQUIRES: a workload of the training rows.
[[nodiscard]] const Program& program_of(std::string_view workload);

}  // namespace stallcast::calibration::mlperf
