#pragma once

#include <functional>
#include <span>

#include "engine/decide/grow/grow.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/change.hpp"
#include "stallcast/client.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

/// Scenarios in later months. docs/models/growth.md.
namespace stallcast::client {

/// As Session::grow.
[[nodiscard]] Result<GrowthResult> grow(const Scenario& scenario, const GrowthQuestion& wanted,
                                        const predict::PredictOptions& options);

/// What a scenario is in a month, with changes: also what it has kept of the months before.
using InMonth = std::function<Scenario(std::span<const Change> changes)>;
/// The plan that a question asks for, of a scenario as it is in a month, and of what changes make
/// of it.
using SolvePlan =
    std::function<Result<PlanResult>(const Scenario& as_it_is, const InMonth&, const PlanSpec&)>;

/// The plan of `scenario` as it has grown by month `until`, with what would do before. Without a
/// word about growth in the scenario the failure is bad_input.
[[nodiscard]] Result<PlanResult> plan_until(const Scenario& scenario, const PlanSpec& spec,
                                            int until, const SolvePlan& solve);

}  // namespace stallcast::client
