#pragma once

#include <span>

#include "stallcast/change.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// The scenario's design with values changed, or the first thing that is wrong with it.
[[nodiscard]] inline Result<Design> design_with(const Scenario& scenario,
                                                std::span<const Change> changes) {
  const Scenario changed = scenario.with(changes);
  if (!changed.ok()) return changed.failure();
  return changed.design();
}

}  // namespace stallcast::client
