#pragma once

#include <string_view>

namespace stallcast::uncertain {

/// Half of the interval that holds nine in ten of what no input explains, for a metric of this
/// name, on the error scale: as the logarithm of the odds for utilizations, of a factor for times
/// and rates. Set by judgement with published cases in view (docs/models/uncertainty.md, table 1);
/// 0 where there is no case of its class.
[[nodiscard]] double discrepancy_of(std::string_view metric);

}  // namespace stallcast::uncertain
