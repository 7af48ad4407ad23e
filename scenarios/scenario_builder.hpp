#pragma once

#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast {

/// Scenarios that a program makes.
struct ScenarioBuilder {
  /// `document` as a file would hold it; `name` stands for the file in messages.
  [[nodiscard]] static Scenario from_json(base::Json document, const std::string& name);
};

}  // namespace stallcast
