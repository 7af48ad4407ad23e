#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/fit/fit.hpp"
#include "calibration/measure/buffer_pages.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/measurement.hpp"

/// From measurements to a calibration profile.
namespace stallcast::calibration {

/// Fits every series of `sets` and turns the parameters of fits that are not refused into values of
/// scenario fields (table in bindings.cpp). FitSeries without enough cells stay in the profile as
/// refused fits: nothing is left out silently. Records of one kind of buffers are used, `buffers`
/// or what choose_buffers() prefers; the profile's environment says which.
[[nodiscard]] CalibrationProfile calibrate(std::vector<MeasurementSet> sets, std::string id,
                                           const fit::FitOptions& options,
                                           std::optional<BufferPages> buffers = {});

}  // namespace stallcast::calibration
