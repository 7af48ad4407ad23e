#pragma once

#include <string_view>

namespace stallcast {

/// What a simulation says that needs more memory than it may take: that is a limit of who runs it,
/// and no fault of the program.
inline constexpr std::string_view kTooLittleMemory =
    "it needs more memory than a simulation may take";

}  // namespace stallcast
