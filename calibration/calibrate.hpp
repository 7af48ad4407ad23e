#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "calibration/buffer_pages.hpp"
#include "calibration/fit/fit.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"

/// From measurements to a calibration profile, and from there into designs.
namespace stallcast::calibration {

/// Reads one measurement file: what probes wrote, or whatever importer recognises the text. Faults
/// go to `diagnostics`; a text that nobody reads is one.
[[nodiscard]] MeasurementSet read_any(const std::string& text, const std::string& file,
                                      Diagnostics& diagnostics);

/// Fits every series of `sets` and turns the parameters of fits that are not refused into values of
/// scenario fields (table in bindings.cpp). Series without enough cells stay in the profile as
/// refused fits: nothing is left out silently. Records of one kind of buffers are used, `buffers`
/// or what choose_buffers() prefers; the profile's environment says which.
[[nodiscard]] CalibrationProfile calibrate(std::vector<MeasurementSet> sets, std::string id,
                                           const fit::Options& options,
                                           std::optional<BufferPages> buffers = {});

/// `design` with draw `i` of the profile in every value that came from it: replica i of a
/// prediction. Without draws the design stays as it is.
void apply_draw(const CalibrationProfile& profile, std::size_t i, Design& design);

/// A line per host of `design` that differs from the machine of the profile: by a factor of two in
/// cores (it may have two threads each), or by a quarter in memory. Compared is what the scenario
/// or its product states, no default, with what the probes recorded.
[[nodiscard]] std::vector<std::string> other_machines(const CalibrationProfile& profile,
                                                      const Design& design);

/// The part of a design the profile set: whether it was used at all.
[[nodiscard]] std::size_t values_from_profile(const Design& design);

}  // namespace stallcast::calibration
