#pragma once

#include <string_view>
#include <vector>

#include "stallcast/operation_stream.hpp"

namespace stallcast::calibration::strace {

/// A program tells strace where its loader is by looking for a file that cannot be there:
/// `access("/.stallcast/take/WORKER/PASS/BATCH", F_OK)`, or `/.stallcast/step` for marks without a
/// batch. True when `arguments` are of such a call: `out` is then a mark.
[[nodiscard]] bool strace_mark(const std::vector<std::string_view>& arguments, Operation& out);

}  // namespace stallcast::calibration::strace
