#pragma once

#include <string>

#include "scenarios/document/document.hpp"

namespace stallcast::scenarios {

/// The path of the file that the text at `at` names: relative to the folder of the file that names
/// it, which may be one that is extended; of an option, to that of the scenario `file`.
[[nodiscard]] std::string named_file(const Tree& tree, const std::string& at,
                                     const std::string& file, const Documents& documents);

/// Another name in its place: faults of it are still where the file is named.
void rename_file(Tree& tree, const std::string& at, const std::string& name);

/// All that tenants name, also those of variants, by paths that do not ask where the scenario is.
void name_by_whole_paths(Tree& tree, const std::string& file, const Documents& documents);

/// `path` from the root of the file system, as short as it can be said.
[[nodiscard]] std::string whole_path(const std::string& path);

}  // namespace stallcast::scenarios
