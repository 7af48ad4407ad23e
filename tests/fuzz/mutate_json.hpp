#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stallcast::fuzz {

/// `text`, JSON with comments, with a few changes that leave it JSON: other numbers, other units,
/// keys and elements that are left out, doubled or swapped, values and kinds from elsewhere in it
/// or in `other`. What is not JSON, or would be longer than `longest`, stays as it is.
[[nodiscard]] std::string mutate_json(std::string_view text, std::string_view other,
                                      std::size_t longest, std::uint32_t seed);

}  // namespace stallcast::fuzz
