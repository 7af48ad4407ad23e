#pragma once

#include <string>
#include <string_view>

namespace stallcast::base {

/// SHA-256 of `data` in lower-case hex.
[[nodiscard]] std::string sha256(std::string_view data);
/// The same in base64.
[[nodiscard]] std::string sha256_base64(std::string_view data);

}  // namespace stallcast::base
