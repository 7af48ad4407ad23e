#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "stallcast/uncertainty.hpp"

/// A prediction that knows how wrong it may be: the design is simulated with its inputs drawn from
/// what they may be in truth. docs/models/uncertainty.md.
namespace stallcast::uncertain {

struct DrawOptions {
  predict::PredictOptions predict;
  std::optional<std::size_t> draws;  ///< none: as many as fit about a second on two cores
  /// Whether a drawn design can be built; none: all can.
  std::function<bool(const Design&)> valid = {};
  /// Puts draw i of what a profile measured into a design; none: nothing is measured.
  std::function<void(Design&, std::size_t)> vary = {};
};

/// What one simulation of `design` costs, in events, where `nominal` is its prediction: those that
/// were counted, and what steps cost that count ranks one by one.
[[nodiscard]] double cost_of(const Design& design, const Prediction& nominal);

/// Makes trials of `design` cheap that replay months of failures: at most `runs` histories, and at
/// most so many `failures` for each interval that the search for the best one tries (0: no search).
void replay_less(Design& design, double runs, double failures);

/// How many draws a design gets of which one costs so much: a power of two, the same on every
/// machine; 0 where even few would take long.
[[nodiscard]] std::size_t draws_that_fit(double cost);

/// How many draws a run of `design` gets that is not told how many; `nominal` is its prediction.
[[nodiscard]] std::size_t draws_of_a_run(const Design& design, const Prediction& nominal);

/// Draws the inputs of `design`, simulates each draw once with the same seed, and says what that
/// does to the figures of `nominal`, the prediction of the design as it is. Draws that do not end
/// in time are left out, and no target has a probability then; a failure when fewer than kFewest
/// ended.
[[nodiscard]] Result<Uncertainty> outcomes(const Design& design, const Prediction& nominal,
                                           const DrawOptions& options);

/// `count` designs with the inputs of `design` drawn, of the same points for every design: what
/// differs between two designs is not the draw.
[[nodiscard]] std::vector<Design> draws_of(const Design& design, std::size_t count);

/// How many inputs of `design` are drawn.
[[nodiscard]] std::size_t input_count(const Design& design);

/// Fewer draws say nothing of an interval, of how often a target holds, or of causes: 32 points of
/// some sixty dimensions have pairs of them that look alike.
inline constexpr std::size_t kFewest = 4, kFewestForTargets = 32, kFewestForShares = 64;

/// Whether a target of `design` is to be judged by draws.
[[nodiscard]] bool asks_for_confidence(const Design& design);

/// Puts what draws said of `design` next to the figures of its prediction, and judges targets that
/// ask for a confidence by it.
void attach(Uncertainty found, const Design& design, Prediction& prediction);

}  // namespace stallcast::uncertain
