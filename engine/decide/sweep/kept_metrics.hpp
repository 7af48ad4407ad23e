#pragma once

#include <map>
#include <optional>
#include <string>

#include "stallcast/prediction.hpp"

/// Figures of a prediction as a row of a sweep's file keeps them:
/// {"name": [value, unit, low95, high95, median, low90, high90], ...}, of which the last three or
/// five may be left out, and a number that is none is null.
namespace stallcast::sweep {

[[nodiscard]] std::string metrics_text(const std::map<std::string, Metric>& metrics);

/// nullopt for a text that is none of these.
[[nodiscard]] std::optional<std::map<std::string, Metric>> read_metrics(const std::string& text);

}  // namespace stallcast::sweep
