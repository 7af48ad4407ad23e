#pragma once

#include <string_view>

#include "stallcast/result.hpp"

namespace stallcast::client {

/// Months of "24mo", "24 months", "2y" or "24"; bad_input for what is none, or beyond 20 years.
/// `asked`: who asked for them in the message, "--until".
[[nodiscard]] Result<int> months_of(std::string_view asked, std::string_view text);

/// Share of all cases of "90%" or "90 %"; bad_input for what is none. `asked` as above.
[[nodiscard]] Result<double> confidence_of(std::string_view asked, std::string_view text);

}  // namespace stallcast::client
