#pragma once

#include "engine/decide/plan/space.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::plan {

/// How a design stands whose targets have these outcomes.
[[nodiscard]] Standing standing_of(const Prediction& prediction);

/// A target that fails and that more hardware makes harder, as a budget; nullptr without one.
[[nodiscard]] const AssertionOutcome* exceeded(const Prediction& prediction);

}  // namespace stallcast::plan
