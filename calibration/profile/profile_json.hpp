#pragma once

#include <string>

#include "stallcast/calibration_profile.hpp"
#include "stallcast/diagnostic.hpp"

/// Calibration profiles as JSON, schema "stallcast.profile/1".
namespace stallcast::calibration {

/// Indented JSON that ends with a line end.
[[nodiscard]] std::string write_profile(const CalibrationProfile& profile);

/// Reads what `write_profile` wrote; faults (with file, line, column) go to `diagnostics`. Fills in
/// `sha256`.
[[nodiscard]] CalibrationProfile read_profile(const std::string& text, const std::string& file,
                                              Diagnostics& diagnostics);

}  // namespace stallcast::calibration
