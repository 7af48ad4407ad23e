#pragma once

#include <filesystem>
#include <string_view>

#include "stallcast/result.hpp"

namespace stallcast::base {

/// "cannot write FILE: No space left on device", and what to do; bad_input.
[[nodiscard]] Failure file_failure(std::string_view what, const std::filesystem::path& path,
                                   int error);

}  // namespace stallcast::base
