#pragma once

#include "engine/decide/uncertain/draws.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/uncertainty.hpp"

/// A prediction that knows how wrong it may be: the design is simulated with its inputs drawn from
/// what they may be in truth. docs/models/uncertainty.md.
namespace stallcast::uncertain {

/// Draws the inputs of `design`, simulates each draw once with the same seed, and says what that
/// does to the figures of `nominal`, the prediction of the design as it is. Draws that do not end
/// in time are left out, and no target has a probability then; a failure when fewer than kFewest
/// ended.
[[nodiscard]] Result<Uncertainty> outcomes(const Design& design, const Prediction& nominal,
                                           const DrawOptions& options);

/// Puts what draws said of `design` next to the figures of its prediction, and judges targets that
/// ask for a confidence by it.
void attach(Uncertainty found, const Design& design, Prediction& prediction);

}  // namespace stallcast::uncertain
