#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stallcast::report {

/// As `wrapped` of layout.hpp, for lines of at most `columns`.
[[nodiscard]] std::string wrapped_at(std::size_t columns, std::string_view first,
                                     std::string_view text, std::size_t indent);

}  // namespace stallcast::report
