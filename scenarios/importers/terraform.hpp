#pragma once

#include <string>
#include <string_view>

#include "scenarios/importers/importer.hpp"

/// Plans and states of Terraform and OpenTofu, as `terraform show -json` prints them: managed file
/// systems and buckets as storage, GPU instances as hosts. docs/reference/importers.md.
namespace stallcast::scenarios {

/// The scenario of what the plan `text` would make, read from `file` (for messages only). A plan
/// says nothing of jobs: one is written as a placeholder. Never throws.
[[nodiscard]] ImportResult import_terraform(const std::string& text, const std::string& file,
                                            const ImportOptions& options);
[[nodiscard]] bool is_terraform(std::string_view text);

}  // namespace stallcast::scenarios
