#pragma once

#include <string>
#include <vector>

#include "stallcast/observation.hpp"

namespace stallcast::cli {

struct CommonOptions;

/// FORMAT of an observation.
inline constexpr const char* kObservationFormat = "observation";

/// What `import observation` takes besides the options of all imports.
struct JobImportWords {
  bool scenario = false;  ///< of a trace, at once
  std::string id;
  bool no_check = false;
};

[[nodiscard]] bool is_observation_file(const std::string& path);

/// The scenario of an observed job, whose ranks may have a file each; with `fields` what became of
/// the observation's members. The self-check goes to standard output where the scenario goes to a
/// file, else to standard error.
int import_job(const std::vector<std::string>& paths, const JobImportWords& words, bool fields,
               const CommonOptions& options);
/// The same of the job that `observation` is of, seen in the trace `path`.
int import_seen_job(const Observation& observation, const std::string& path,
                    const JobImportWords& words, bool fields, const CommonOptions& options);

}  // namespace stallcast::cli
