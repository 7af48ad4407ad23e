#pragma once

#include "scenarios/document/document.hpp"
#include "stallcast/design.hpp"

namespace stallcast::scenarios {

/// Checks what spans fields and components: references, counts that must fit, values that are
/// likely slips. `design` may be incomplete when faults were already found.
void check_rules(const Design& design, Reporter& report);

}  // namespace stallcast::scenarios
