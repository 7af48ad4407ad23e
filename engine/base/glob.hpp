#pragma once

#include <string_view>

namespace stallcast::base {

/// Whether `text` is what `pattern` says: "*" stands for any text, also for none, dots and slashes
/// included; everything else for itself.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);
/// Whether some text is what both patterns say.
[[nodiscard]] bool globs_meet(std::string_view a, std::string_view b);

}  // namespace stallcast::base
