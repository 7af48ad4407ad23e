#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// Counts what proposals add as the scenario says that it is bought: by the one parameter that the
/// number is made of ("=8 * boxes": boxes), or in the units of its `plan`. A proposal is then the
/// fewest of those that are as many as it had. Of several that count the same the first stays.
void count_as_bought(const Scenario& scenario, std::vector<plan::Proposal>& proposals);

/// Adds more of what `plan` counts without a word about it, where `design` has that.
void add_planned(const Scenario& scenario, const Design& design,
                 std::vector<plan::Proposal>& proposals);

/// Whether the value at `pointer` is made of a parameter that `axes` search.
[[nodiscard]] bool follows_from(const Scenario& scenario, const std::string& pointer,
                                const std::vector<PlanAxis>& axes);

/// What a page counts on its axis: what `prediction` blames that is bought by number, else what its
/// storage is bought by; nullopt where nothing is.
[[nodiscard]] std::optional<plan::Proposal> bought_by_number(const Scenario& scenario,
                                                             const Design& design,
                                                             const Prediction& prediction);

}  // namespace stallcast::client
