#pragma once

#include <string>

#include "stallcast/result.hpp"

namespace stallcast::run {

/// Path of `stallcast-sim`: `wanted` if not empty, else $STALLCAST_SIM, else next to this program
/// or in `bin` or `libexec/stallcast` next to its folder, else the installed one. Fails with
/// bad_input when a named one is not executable, with internal when none is installed.
[[nodiscard]] Result<std::string> find_worker(const std::string& wanted);

}  // namespace stallcast::run
