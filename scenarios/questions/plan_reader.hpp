#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/base/jsonc.hpp"
#include "scenarios/resolve/component_reader.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/plan.hpp"

/// What `stallcast plan` searches, from the scenario and from the command line.
namespace stallcast::scenarios {

/// Keys of `plan` besides "over".
[[nodiscard]] std::span<const base::FieldInfo> plan_fields();

/// "params.n" of "n" where that is a parameter; any other path as it is.
[[nodiscard]] std::string parameter_path(const std::string& path,
                                         std::span<const Parameter> params);

/// Reads `plan` of the tree; faults are reported with their place. Parameters without a range take
/// that of `params`. Nothing is asked for without the key.
[[nodiscard]] PlanSpec read_plan(ReadContext& context, std::span<const Parameter> params);

/// Values of `design` that are nothing but one parameter that says its min and max, and its range.
[[nodiscard]] std::map<std::string, PlanDimension> ranged_values(const Tree& tree,
                                                                 const Design& design,
                                                                 std::span<const Parameter> params);

/// Adds "osts", "PATH=a,b,c", "PATH=from..to", "PATH=from..to:n" to what is searched, in place of
/// the same path.
void add_over(const std::string& option, std::span<const Parameter> params, PlanSpec& spec,
              Diagnostics& diags);

/// Sets the unit of something searched from "PATH=2".
void add_unit(const std::string& option, std::span<const Parameter> params, PlanSpec& spec,
              Diagnostics& diags);

}  // namespace stallcast::scenarios
