#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::probing {

/// What a program that has ended left.
struct ProgramEnd {
  int status = 0;         ///< its exit code; 127: it was not found; 128 + n: signal n
  std::string last_said;  ///< the last line of its standard error
};

/// Runs `words` with PATH looked through, standard input empty, and `on_line` called with each line
/// of its standard output. It and what it started end with this process, when `watch` says so, or
/// after its limit.
[[nodiscard]] Result<ProgramEnd> run_program(const std::vector<std::string>& words,
                                             const std::function<void(std::string_view)>& on_line,
                                             const Watch& watch);

}  // namespace stallcast::calibration::probing
