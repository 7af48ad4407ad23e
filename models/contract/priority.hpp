#pragma once

#include <string_view>
#include <vector>

#include "stallcast/design.hpp"

/// Classes of jobs and tenants where they share a resource: docs/models/tenants.md, eq. 11.
namespace stallcast::models {

inline constexpr std::string_view kPriorities[] = {"low", "normal", "high"};

/// Weight of a class over that of the class below. Strict priority is the limit of an infinite one:
/// n members served after m of the next higher class keep n / (1000 m + n) of what both could use.
inline constexpr double kClassWeight = 1000.0;

/// Max-min weight of who has `share` within its class. REQUIRES: `priority` is one of kPriorities.
[[nodiscard]] constexpr double weight_in_class(double share, std::string_view priority) {
  if (priority == "high") return share * kClassWeight;
  return priority == "low" ? share / kClassWeight : share;
}

/// The different weights in a design from the least on, with that of who has none of its own.
[[nodiscard]] std::vector<double> weights_of(const Design& design);

}  // namespace stallcast::models
