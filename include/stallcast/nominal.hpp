#pragma once

#include <algorithm>
#include <string>

#include "stallcast/prediction.hpp"

namespace stallcast {

/// Whether a target asks for a confidence, which only draws judge: changes that are tried, each
/// simulated as it is, meet it nominally at most, and the fewest or cheapest that does is no
/// answer.
[[nodiscard]] inline bool tried_nominally(const Prediction& prediction) {
  return std::any_of(prediction.assertions.begin(), prediction.assertions.end(),
                     [](const AssertionOutcome& a) { return a.level != "warn" && a.confidence; });
}

/// What is said where such a target was not judged.
[[nodiscard]] inline std::string only_draws_judge(const std::string& target) {
  return "the target \"" + target + "\" asks for a confidence: only draws judge it";
}

}  // namespace stallcast
