#pragma once

#include "stallcast/client.hpp"

namespace stallcast::client {

/// What is wrong with a scenario, and besides, unless a variant is asked for, with each of its
/// variants: their messages begin with its name. A pipe is read once, without its variants.
[[nodiscard]] Diagnostics lint(const Session& session, const ScenarioFile& source);

/// What `plan` cannot search of what the scenario's `plan.over` names, each at its place.
void add_plan_faults(const Scenario& scenario, Diagnostics& out);

/// The scenario's plan with what is asked to be searched, and in which units, in the place of its
/// own; options that cannot be read go to `faults`.
[[nodiscard]] PlanSpec searched(const Scenario& scenario, const PlanQuestion& wanted,
                                Diagnostics& faults);

/// What `plan` cannot search of what is asked besides the scenario.
[[nodiscard]] std::optional<Failure> unsearchable(const Scenario& scenario,
                                                  const PlanQuestion& wanted);

}  // namespace stallcast::client
