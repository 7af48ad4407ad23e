#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/document/document.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/scenario.hpp"
#include "stallcast/sweep.hpp"

/// What a sweep varies, from the scenario and from the command line.
namespace stallcast::scenarios {

/// Reads `sweep` of the tree; faults are reported with their place. Names of `params` become
/// "params.NAME". Nothing is varied without the key.
[[nodiscard]] SweepSpec read_sweep(const Tree& tree, std::span<const Parameter> params,
                                   Reporter& report);

/// Reads the values of one path, a list or a range, which stand at `at`. nullopt after a fault.
/// `more`: keys of a range that the caller reads.
[[nodiscard]] std::optional<SweepAxis> read_axis(std::span<const Parameter> params,
                                                 Reporter& report, const std::string& at,
                                                 const std::string& path, const Json& values,
                                                 std::span<const std::string_view> more);

/// "PATH=a,b,c", "PATH=from..to:n" or "PATH=from..to:n:log" of the option `what` ("--vary").
/// nullopt after a fault.
[[nodiscard]] std::optional<SweepAxis> axis_of(const std::string& option, const std::string& what,
                                               Diagnostics& diags);

/// Adds "PATH=a,b,c", "PATH=from..to:n" or "PATH=from..to:n:log" to `spec`, in place of an axis of
/// the same path. Commas within quotes, brackets and braces do not separate. Ranges of a sample
/// need no n.
void add_vary(const std::string& option, SweepSpec& spec, Diagnostics& diags);

/// Sets the mode from "product", "zip", "latin:64" or "sobol:64". False, and nothing changed, for
/// any other text.
[[nodiscard]] bool set_mode(const std::string& text, SweepSpec& spec);

}  // namespace stallcast::scenarios
