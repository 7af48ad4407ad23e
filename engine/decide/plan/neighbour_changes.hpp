#pragma once

#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::plan {

/// What costs nothing where a job loses time at `resource`, of a storage system that others use,
/// too: the tenant that moves most there behind all others, or held to what they leave; the only
/// job that misses a target before all others.                          [docs/guide/explain.md]
[[nodiscard]] std::vector<Proposal> neighbour_changes(const Design& design,
                                                      const Prediction& prediction,
                                                      const std::string& resource);

}  // namespace stallcast::plan
