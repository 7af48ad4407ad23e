#pragma once

#include <map>
#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// How the rest of a whole run differs from the part of it that was simulated.
/// docs/models/whole-run.md.
namespace stallcast::models {

/// What a run was simulated with and most of the whole run is without, or the other way round: a
/// warning of each. REQUIRES: add_whole_runs.
[[nodiscard]] std::vector<std::string> unlike_the_rest(
    const Design& design, const std::map<std::string, Metric>& metrics);

}  // namespace stallcast::models
