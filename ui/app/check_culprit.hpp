#pragma once

#include <optional>
#include <string>

#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"

/// Which line of a scenario to look at when a resource limits.
namespace stallcast::client {

struct Culprit {
  std::string path;  ///< "storage[scratch].ost.count", as `--set` takes it
  Position at;       ///< where the scenario says it
};

/// The input behind `resource` ("storage.scratch.ost"): the one of its component that makes more of
/// it, else one of the same part (of a component as a whole: its first), else what lets more of it
/// be used at a time, such as workers. Only inputs that a file gives have a place; nullopt when
/// none of these does: an input of another part does not limit.
[[nodiscard]] std::optional<Culprit> culprit_of(const Design& design, const Prediction& prediction,
                                                const std::string& resource);

/// The input that a change is of, `set` as `--set` takes it; where the file leaves that to its
/// default, what it says first of the same part, or of the component. nullopt where it says
/// nothing.
[[nodiscard]] std::optional<Culprit> place_of_change(const Design& design, const std::string& set);

}  // namespace stallcast::client
