#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/client.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

/// Scenarios in later months. docs/models/growth.md.
namespace stallcast::client {

/// Months of "24mo", "24 months", "2y" or "24"; nullopt for what is none, or beyond 20 years.
[[nodiscard]] std::optional<int> months_of(std::string_view text);

/// As Session::grow.
[[nodiscard]] Result<GrowthResult> grow(const Scenario& scenario, const GrowthQuestion& wanted,
                                        const predict::PredictOptions& options);

using SolvePlan = std::function<Result<PlanResult>(const Scenario&, const PlanSpec&)>;

/// The plan of `scenario` as it has grown by month `until`, with what would do before. Without a
/// word about growth in the scenario the failure is bad_input.
[[nodiscard]] Result<PlanResult> plan_until(const Scenario& scenario, const PlanSpec& spec,
                                            int until, const SolvePlan& solve);

}  // namespace stallcast::client
