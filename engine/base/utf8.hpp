#pragma once

#include <cstddef>
#include <string_view>

namespace stallcast::base {

/// Length of the UTF-8 sequence that starts `s`, 0 when it is not valid (Unicode 15, table 3-7).
[[nodiscard]] std::size_t utf8_length(std::string_view s);

}  // namespace stallcast::base
