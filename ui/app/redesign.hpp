#pragma once

#include <span>

#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// The design of a scenario, or the first thing that is wrong with it.
[[nodiscard]] inline Result<Design> design_of(const Scenario& scenario) {
  if (!scenario.ok()) return scenario.failure();
  return scenario.design();
}

/// The same with values changed.
[[nodiscard]] inline Result<Design> design_with(const Scenario& scenario,
                                                std::span<const Change> changes) {
  return design_of(scenario.with(changes));
}

/// The same of any changes, while `scenario` lives.
[[nodiscard]] inline auto redesign_of(const Scenario& scenario) {
  return [&scenario](std::span<const Change> changes) { return design_with(scenario, changes); };
}

}  // namespace stallcast::client
