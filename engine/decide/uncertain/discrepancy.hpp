#pragma once

#include <string_view>

namespace stallcast::uncertain {

/// Half of the interval that holds nine in ten of what no input explains, for a metric of this
/// name: in its unit for ratios, as the logarithm of a factor for all else. Learned on published
/// cases (docs/models/uncertainty.md, table 1); 0 where there is no case of its class.
[[nodiscard]] double discrepancy_of(std::string_view metric, std::string_view unit);

}  // namespace stallcast::uncertain
