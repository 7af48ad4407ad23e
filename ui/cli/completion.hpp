#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stallcast::cli {

/// "bash", "fish", "zsh".
[[nodiscard]] std::vector<std::string> shells();

/// What `shell` loads to complete verbs, options, and the words that options take; files elsewhere.
/// "" for a shell that is not one of shells().
[[nodiscard]] std::string completion(std::string_view shell);

}  // namespace stallcast::cli
