#pragma once

#include "calibration/validation/mlperf/facts.hpp"
#include "engine/base/jsonc.hpp"

namespace stallcast::calibration::mlperf {

/// The storage systems of a scenario with these facts; the data set is on the first, "data".
[[nodiscard]] base::Json storage_of(const Facts& facts);

}  // namespace stallcast::calibration::mlperf
