#pragma once

#include "engine/decide/plan/advice.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// Counts what `proposal` adds as the scenario says that it is bought: by the one parameter that
/// the number is made of ("=8 * boxes": boxes), or in the units of its `plan`. The proposal is then
/// the fewest of those that are as many as it had.
void count_as_bought(const Scenario& scenario, plan::Proposal& proposal);

}  // namespace stallcast::client
