#pragma once

#include <string>

#include "scenarios/importers/importer.hpp"

/// Workload files of DLIO and MLPerf Storage: v0.5 to v3.0 spellings, with or without a top-level
/// `workload:`. docs/models/dataloader.md says what the loader does with them.
namespace stallcast::scenarios {

/// The scenario of the DLIO workload `text`, read from `file` (for messages only). Never throws.
[[nodiscard]] ImportResult import_dlio(const std::string& text, const std::string& file,
                                       const ImportOptions& options);

}  // namespace stallcast::scenarios
