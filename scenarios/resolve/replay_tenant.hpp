#pragma once

#include <string>

#include "scenarios/document/document.hpp"

namespace stallcast::scenarios {

/// Makes the `program` of tenants that replay a trace a path of its own (it is relative to the
/// file that names it; of an option, to the scenario `file`), and takes `sha256` from it where the
/// scenario does not say it. Without `files`, naming one is an error (servers).
void find_programs(Tree& tree, const std::string& file, bool files, Documents& documents,
                   Reporter& report);

}  // namespace stallcast::scenarios
