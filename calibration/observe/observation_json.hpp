#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/observation.hpp"

/// Observations as files: JSON of schema stallcast.observation/1, SI base units, absent members
/// left out. What is written reads back the same.
namespace stallcast::calibration {

[[nodiscard]] std::string write_observation(const Observation& observation);

/// Faults (syntax, another schema, an unknown member, a wrong type) go to `diagnostics` with file,
/// line and column; reading goes on behind them.
[[nodiscard]] Observation read_observation(const std::string& text, const std::string& file,
                                           Diagnostics& diagnostics);

/// Paths of the members that are absent, sorted: "loader.workers", "samples". What is inside an
/// absent member, and inside a list, is not named.
[[nodiscard]] std::vector<std::string> absent_members(const Observation& observation);

/// Does `text` begin like such a file?
[[nodiscard]] bool is_observation(std::string_view text);

}  // namespace stallcast::calibration
