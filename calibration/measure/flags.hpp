#pragma once

#include <algorithm>
#include <string_view>

#include "stallcast/measurement.hpp"

namespace stallcast::calibration {

/// Whether `m` carries the doubt `flag`.
[[nodiscard]] inline bool has_flag(const Measurement& m, std::string_view flag) {
  return std::find(m.flags.begin(), m.flags.end(), flag) != m.flags.end();
}

}  // namespace stallcast::calibration
