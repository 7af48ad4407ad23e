#pragma once

#include <algorithm>

#include "stallcast/prediction.hpp"

namespace stallcast {

/// Whether a target asks for a confidence, which only draws judge: changes that are tried, each
/// simulated as it is, meet it nominally at most, and the fewest or cheapest that does is no
/// answer.
[[nodiscard]] inline bool tried_nominally(const Prediction& prediction) {
  return std::any_of(prediction.assertions.begin(), prediction.assertions.end(),
                     [](const AssertionOutcome& a) { return a.level != "warn" && a.confidence; });
}

}  // namespace stallcast
