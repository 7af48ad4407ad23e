#pragma once

#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::testing {

/// Dates at which the steps of the first job ended, saves between them left out.
struct Course {
  std::vector<double> ends;
  Seconds wall, skipped;
  std::vector<Seconds> trained;  ///< each job, until it or the first one ended
};

/// Simulates the jobs of `design` without SimGrid; `skipping`: what repeats is counted instead.
[[nodiscard]] Course course_of(const Design& design, bool skipping);

/// Largest difference of a step's end between two courses, as a share of its date; those that
/// jobs trained count as well. Fails the test by exception when they differ in the number of steps.
[[nodiscard]] double difference(const Course& a, const Course& b);

}  // namespace stallcast::testing
