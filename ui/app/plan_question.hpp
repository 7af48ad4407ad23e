#pragma once

#include <optional>

#include "stallcast/client.hpp"

/// What a plan is asked: by the scenario, and besides it.
namespace stallcast::client {

/// The scenario's plan with what `wanted` says in the place of its own; options that cannot be read
/// go to `faults`. What is counted without a word about it is what the scenario's own parameter
/// counts, by its steps.
[[nodiscard]] PlanSpec asked_plan(const Scenario& scenario, const PlanQuestion& wanted,
                                  Diagnostics& faults);

/// What `plan` would refuse of `spec` without a simulation and the scenario says itself, each at
/// its place.
void add_plan_faults(const Scenario& scenario, const PlanSpec& spec, Diagnostics& out);

/// The first thing it would refuse, whoever says it.
[[nodiscard]] std::optional<Failure> refused_plan(const Scenario& scenario,
                                                  const PlanQuestion& wanted);

}  // namespace stallcast::client
