#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/importers/importer.hpp"

/// Nodes of Slurm as hosts: `sinfo --json` and `scontrol show nodes`, also with `--json`.
/// docs/reference/importers.md.
namespace stallcast::scenarios {

/// The scenario of the nodes of `text`, read from `file` (for messages only): a class of hosts for
/// all that are alike. Slurm knows no jobs' loads: one is a placeholder. Never throws.
[[nodiscard]] ImportResult import_slurm(const std::string& text, const std::string& file,
                                        const ImportOptions& options);
[[nodiscard]] bool is_slurm(std::string_view text);

/// Names of a host list: "gpu[01-03,7],login" are gpu01, gpu02, gpu03, gpu7 and login. At most
/// 100,000, of 255 characters; empty where brackets are not closed, follow each other, or have
/// ranges that go down.
[[nodiscard]] std::vector<std::string> slurm_names(std::string_view list);

}  // namespace stallcast::scenarios
