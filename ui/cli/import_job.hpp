#pragma once

#include <string>
#include <vector>

namespace stallcast::cli {

struct CommonOptions;

/// FORMAT of an observation.
inline constexpr const char* kObservationFormat = "observation";

/// What `import observation` takes besides the options of all imports.
struct JobImportWords {
  std::string id;
  bool no_check = false;
};

[[nodiscard]] bool is_observation_file(const std::string& path);

/// The scenario of an observed job, whose ranks may have a file each; with `fields` what became of
/// the observation's members. The self-check goes to standard output where the scenario goes to a
/// file, else to standard error.
int import_job(const std::vector<std::string>& paths, const JobImportWords& words, bool fields,
               const CommonOptions& options);

}  // namespace stallcast::cli
