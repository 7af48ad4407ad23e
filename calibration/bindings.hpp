#pragma once

#include <string_view>
#include <vector>

#include "stallcast/calibration_profile.hpp"

namespace stallcast::calibration {

/// The scenario fields that `fit` decides: one row of the table per parameter and field.
[[nodiscard]] std::vector<ProfileValue> values_of(const Fit& fit);

}  // namespace stallcast::calibration
