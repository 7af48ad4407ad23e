#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "stallcast/result.hpp"

namespace stallcast::base {

/// SHA-256 of `data` in lower-case hex.
[[nodiscard]] std::string sha256(std::string_view data);
/// Of a file of any size, which is read in pieces. Fails with bad_input and the system's reason.
[[nodiscard]] Result<std::string> sha256_of_file(const std::filesystem::path& path);
/// The same of `data` in base64.
[[nodiscard]] std::string sha256_base64(std::string_view data);

}  // namespace stallcast::base
