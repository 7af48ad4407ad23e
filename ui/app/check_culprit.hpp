#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

/// Which line of a scenario to look at when a resource limits.
namespace stallcast::client {

struct Culprit {
  std::string path;  ///< "storage[scratch].ost.count", as `--set` takes it
  Position at;       ///< where the scenario says it
};

/// The input behind `resource` ("storage.scratch.ost"): the one that `changes` would change, else
/// one of the same part, else of the same component. Only inputs that a file gives have a place;
/// nullopt when none of them does.
[[nodiscard]] std::optional<Culprit> culprit_of(const Design& design, const std::string& resource,
                                                const std::vector<plan::Proposal>& changes);

}  // namespace stallcast::client
