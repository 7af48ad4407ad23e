#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

/// What a calibration profile does to designs and says of them.
namespace stallcast::calibration {

/// `design` with draw `i` of the profile in every value that came from it. Without draws the design
/// stays as it is.
void apply_draw(const CalibrationProfile& profile, std::size_t i, Design& design);

/// A line per host of `design` that differs from the machine of the profile: by a factor of two in
/// cores (it may have two threads each), or by a quarter in memory. Compared is what the scenario
/// or its product states, no default, with what the probes recorded.
[[nodiscard]] std::vector<std::string> other_machines(const CalibrationProfile& profile,
                                                      const Design& design);

/// Where the profile refused what reads and writes do to each other ("io.mixed"), a line per
/// storage system that has other values of it and both, and keeps the default.
[[nodiscard]] std::vector<std::string> refused_mixes(const CalibrationProfile& profile,
                                                     const Design& design);

/// Where the profile was measured from several hosts at one time and `design` gives each host a
/// device with its values, a line per storage system.
[[nodiscard]] std::vector<std::string> several_hosts(const CalibrationProfile& profile,
                                                     const Design& design);

/// Where values of one measured device are those of several storage systems of `design`, and where
/// `design` has no part of an id that the profile tells something of: a line each.
[[nodiscard]] std::vector<std::string> other_parts(const CalibrationProfile& profile,
                                                   const Design& design);

/// A line per fit to one single run that sets fields of `design`: which, and what speaks against
/// it.
[[nodiscard]] std::vector<std::string> measured_once(const CalibrationProfile& profile,
                                                     const Design& design);

/// All of these, of a design of which the profile sets something; else that it has no value for it.
[[nodiscard]] std::vector<std::string> said_of(const CalibrationProfile& profile,
                                               const Design& design);

/// The part of a design the profile set: whether it was used at all.
[[nodiscard]] std::size_t values_from_profile(const Design& design);

}  // namespace stallcast::calibration
