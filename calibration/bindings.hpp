#pragma once

#include <string_view>
#include <vector>

#include "stallcast/calibration_profile.hpp"

namespace stallcast::calibration {

/// The scenario fields that `fit` decides: one row of the table per parameter and field.
[[nodiscard]] std::vector<ProfileValue> values_of(const Fit& fit);

/// The fields that all of `fits` decide. Where several fits decide fields of one group ("read.law",
/// "read.rate"), the first of the table that was not refused decides them all: the parameters of
/// two laws never mix.
[[nodiscard]] std::vector<ProfileValue> values_of(const std::vector<Fit>& fits);

}  // namespace stallcast::calibration
