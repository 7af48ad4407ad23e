#pragma once

#include <string>

#include "scenarios/document.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/sweep.hpp"

/// What a sweep varies, from the scenario and from the command line.
namespace stallcast::scenarios {

/// Reads `sweep` of the tree; faults are reported with their place. Names of parameters become
/// "params.NAME". Nothing is varied without the key.
[[nodiscard]] SweepSpec read_sweep(const Tree& tree, Reporter& report);

/// Adds "PATH=a,b,c", "PATH=from..to:n" or "PATH=from..to:n:log" to `spec`, in place of an axis of
/// the same path. Commas within quotes, brackets and braces do not separate. Ranges of a sample
/// need no n.
void add_vary(const std::string& option, SweepSpec& spec, Diagnostics& diags);

/// Sets the mode from "product", "zip", "latin:64" or "sobol:64". False, and nothing changed, for
/// any other text.
[[nodiscard]] bool set_mode(const std::string& text, SweepSpec& spec);

}  // namespace stallcast::scenarios
