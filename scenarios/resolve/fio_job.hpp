#pragma once

#include <string>

#include "scenarios/document/document.hpp"

namespace stallcast::scenarios {

/// Puts the options of the fio job files that tenants name (`job_file`, relative to the scenario
/// `file`) into the tree, where the scenario does not say otherwise. Options of fio that decide
/// nothing here (ioengine, runtime, ...) are left out; one that would change the load and is not
/// modelled is a warning. `read_files` false: naming a file is an error (servers).
void read_fio_jobs(Tree& tree, const std::string& file, bool read_files, Documents& documents,
                   Reporter& report);

}  // namespace stallcast::scenarios
