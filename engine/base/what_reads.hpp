#pragma once

#include <string>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

namespace stallcast::base {

/// What of `design` decides what the readers of `job` do themselves, as a SHA-256: its loader, data
/// set, GPUs, hosts, and the kind of storage that they read from, without what `profile` narrowed.
/// Equal ones read alike, from whatever number of servers and over whatever network. "" where the
/// job reads nothing.
[[nodiscard]] std::string what_reads(const Design& design, const JobDesign& job,
                                     const CalibrationProfile& profile);

/// Notes at each job of `design` that was observed, with the same readers, what its GPU utilization
/// was.
void note_observed(const CalibrationProfile& profile, Design& design);

}  // namespace stallcast::base
