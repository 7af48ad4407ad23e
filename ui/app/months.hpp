#pragma once

#include <optional>
#include <string_view>

namespace stallcast::client {

/// Months of "24mo", "24 months", "2y" or "24"; nullopt for what is none, or beyond 20 years.
[[nodiscard]] std::optional<int> months_of(std::string_view text);

}  // namespace stallcast::client
