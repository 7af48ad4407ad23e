#pragma once

#include "stallcast/sweep.hpp"

/// Values between the two ends of a range.
namespace stallcast::base {

/// The number at `u` of 0..1 on the way from one end to the other, in whole steps from the first
/// end, or of six digits. In the unit of the range.
[[nodiscard]] double number_at(const SweepRange& range, double u);
/// The same as a scenario is given it: the ends as they were written.
[[nodiscard]] Setting value_at(const SweepRange& range, double u);

/// How many steps fit between the ends. Of three steps of 0.1 one is 0.30000000000000004.
/// REQUIRES: a step.
[[nodiscard]] double whole_steps(const SweepRange& range);

}  // namespace stallcast::base
