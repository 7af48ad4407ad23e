#pragma once

#include <optional>
#include <string>

#include "stallcast/client.hpp"

namespace stallcast::client {

/// A change of a scenario.
struct ScenarioChange {
  std::string text;  ///< "storage.scratch.ost.count 48 -> 96"
  Change change;
};

/// The change that makes twice of a resource ("storage.scratch.ost"), or of what lets more of it be
/// used at a time; nullopt when no number of the scenario does. `prediction` is of `design`.
[[nodiscard]] std::optional<ScenarioChange> doubled(const Design& design,
                                                    const Prediction& prediction,
                                                    const std::string& resource);

}  // namespace stallcast::client
