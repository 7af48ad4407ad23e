#pragma once

#include <map>
#include <mutex>
#include <string>

#include "scenarios/document/document.hpp"
#include "stallcast/result.hpp"

namespace stallcast::scenarios {

/// Texts of files, each of which is read once, from any thread.
class FileTexts {
 public:
  [[nodiscard]] Result<std::string> read(const std::string& path);

 private:
  std::mutex mutex_;
  std::map<std::string, Result<std::string>> texts_;
};

/// Puts the options of the fio job files that tenants name (`job_file`, relative to the file
/// that names it; of an option, to the scenario `file`) into the tree, where the scenario does not
/// say otherwise. Options of fio that decide nothing here (ioengine, runtime, ...) are left out;
/// one that would change the load and is not modelled is a warning. Without `texts`, naming a file
/// is an error (servers).
void read_fio_jobs(Tree& tree, const std::string& file, FileTexts* texts, Documents& documents,
                   Reporter& report);

}  // namespace stallcast::scenarios
