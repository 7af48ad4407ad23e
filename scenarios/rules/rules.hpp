#pragma once

#include <string>

#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

namespace stallcast::scenarios {

/// Checks what spans fields and components: references, counts that must fit, values that are
/// likely slips. `design` may be incomplete when faults were already found.
void check_rules(const Design& design, Diagnostics& report);
/// The same for a design that was not read but made of others, and what reading sees to: a host
/// class, a job, and no field missing.
void check_design(const Design& design, Diagnostics& report);

/// Checks the name of a metric as far as names are known before a run: its component, its figure.
void check_metric(const Design& design, const std::string& metric, const std::string& pointer,
                  Diagnostics& report);

/// Whether a job, stage or tenant reads from a storage system, and whether one writes to it:
/// through others before it, too.
[[nodiscard]] bool is_read(const Design& design, const std::string& storage);
[[nodiscard]] bool is_written(const Design& design, const std::string& storage);

/// Why a design cannot be built, its targets aside; "" when it can.
[[nodiscard]] std::string fault_of(const Design& design);

/// Of each storage system that says how much it holds: that all which is to lie on it fits. Left
/// out where `expect` has a target of the same figure.    [docs/models/capacity.md, eq. 3]
void expect_room(Design& design);

}  // namespace stallcast::scenarios
