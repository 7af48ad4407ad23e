#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/bounds/space.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// Bytes by name of a tier.
using BytesOfTier = std::map<std::string, Bytes>;

/// Adds to `rooms` what a run saw of saves that only lay there since they were not drained yet:
/// `waiting` by number of the job, the most at one time.    [docs/models/capacity.md, eq. 2]
void add_waiting(const Design& design, const std::vector<BytesOfTier>& waiting,
                 std::vector<Room>& rooms);

}  // namespace stallcast::models
