#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "stallcast/result.hpp"

/// Files: read whole, written to a temporary name next to the target and renamed.
namespace stallcast::base {

/// What is larger is a mistake, not input (or /dev/zero).
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20U;

/// Whole content. Fails with bad_input and the system's reason, or when it exceeds kLargestFile.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// Replaces `path` at once; nothing is left behind on failure. "-" is not special here.
[[nodiscard]] Result<bool> write_file(const std::filesystem::path& path, std::string_view content);

/// The file that this process runs, also where /proc cannot be read; "" where nothing tells.
[[nodiscard]] std::filesystem::path this_program();

}  // namespace stallcast::base
