#pragma once

#include <string_view>

namespace stallcast {

/// Version of the scenario format: that of the release, without its last number. Fields that are
/// new raise the second number, and what no longer is read the first.
inline constexpr std::string_view kScenarioFormat = "1.0";

}  // namespace stallcast
