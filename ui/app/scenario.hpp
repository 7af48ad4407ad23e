#pragma once

#include <string>

#include "scenarios/load.hpp"
#include "stallcast/client.hpp"

/// Reading a scenario together with what `scenarios` does not know of: its assertions.
namespace stallcast::client {

/// Everything that is said about `source`, assertions included.
[[nodiscard]] scenarios::Loaded load(const Source& source, const CalibrationProfile* profile);

/// Gives diagnostics that have only a pointer their file, line and column.
void locate(const Source& source, Diagnostics& diagnostics);

/// One diagnostic without source line and hint.
[[nodiscard]] std::string diagnostic_line(const Diagnostic& diagnostic);

}  // namespace stallcast::client
