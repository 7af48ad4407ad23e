#pragma once

#include <string>
#include <string_view>

#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"

/// Measurements as JSON, schema "stallcast.measurements/1": what probes write and `import` prints.
/// Numbers are in SI base units, as everywhere.
namespace stallcast::calibration {

/// Indented JSON that ends with a line end. Empty values are left out.
[[nodiscard]] std::string write_measurements(const MeasurementSet& set);

/// Reads what `write_measurements` wrote; faults (with file, line, column) go to `diagnostics`, all
/// at once. Fills in `file` and `sha256`.
[[nodiscard]] MeasurementSet read_measurements(const std::string& text, const std::string& file,
                                               Diagnostics& diagnostics);

/// True when `text` names the schema.
[[nodiscard]] bool is_measurements(std::string_view text);

}  // namespace stallcast::calibration
