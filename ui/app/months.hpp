#pragma once

#include <optional>
#include <string_view>

#include "stallcast/client.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::client {

/// Months of "24mo", "24 months", "2y" or "24"; bad_input for what is none, or beyond 20 years.
/// `asked`: who asked for them in the message, "--until".
[[nodiscard]] Result<int> months_of(std::string_view asked, std::string_view text);

/// Share of all cases of "90%" or "90 %"; bad_input for what is none. `asked` as above.
[[nodiscard]] Result<double> confidence_of(std::string_view asked, std::string_view text);

/// Why Session::grow has no answer, before anything is simulated; nullopt where it has one.
[[nodiscard]] std::optional<Failure> refused_growth(const Scenario& scenario,
                                                    const GrowthQuestion& wanted);

}  // namespace stallcast::client
