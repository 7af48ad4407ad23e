#pragma once

#include <string>

#include "scenarios/importers/importer.hpp"

/// Job files of fio as tenants, one for each job. docs/reference/importers.md.
namespace stallcast::scenarios {

/// The scenario of the job file `text`, read from `file` (for messages only): its tenants on hosts
/// and storage that the options name, or placeholders. Never throws.
[[nodiscard]] ImportResult import_fio_job(const std::string& text, const std::string& file,
                                          const ImportOptions& options);

}  // namespace stallcast::scenarios
