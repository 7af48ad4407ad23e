#pragma once

#include <span>
#include <string_view>

#include "engine/base/fields.hpp"
#include "scenarios/document/document.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"

/// What a calibration profile says of the values of a component.
namespace stallcast::scenarios {

/// What was measured goes before a product's figures and defaults; what the scenario says, which is
/// read later, goes before both.
void take_measured(const CalibrationProfile& profile, std::string_view role,
                   std::span<const base::FieldInfo* const> fields, Component& out);

/// What runs that were observed say goes before all that is not exact, but for what the scenario
/// says of it since. Warns of statements that a profile is left out for, or does not fit.
void end_with_profile(const CalibrationProfile& profile, std::string_view role, Reporter& report,
                      Component& out);

}  // namespace stallcast::scenarios
