#pragma once

#include <span>
#include <string>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

namespace stallcast::base {

/// What of `design` decides what the readers of `job` do themselves, as a SHA-256: its loader, data
/// set, GPUs, hosts, and the kind of storage that they read from, without `left_out`. Equal ones
/// read alike, from whatever number of servers and over whatever network. "" where the job reads
/// nothing.
[[nodiscard]] std::string what_reads(const Design& design, const JobDesign& job,
                                     std::span<const std::string> left_out);
/// What is left out of them after `profile` was made: "loader start", which it narrowed.
[[nodiscard]] std::vector<std::string> narrowed_of_readers(const Design& design,
                                                           const JobDesign& job,
                                                           const CalibrationProfile& profile);

/// What a run of `design` was one of, as a SHA-256: all that decides what happens in it, with what
/// `profile` (none: nullptr) narrowed as the scenario states it. Names and how long it is simulated
/// are no matter.
[[nodiscard]] std::string what_runs(const Design& design, const CalibrationProfile* profile);

/// Notes at each job of `design` that was observed, with the same readers, what its GPU utilization
/// was each time.
void note_observed(const CalibrationProfile& profile, Design& design);

}  // namespace stallcast::base
