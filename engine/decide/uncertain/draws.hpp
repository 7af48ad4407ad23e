#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "engine/decide/uncertain/inputs.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Designs whose inputs are drawn, and how many of them. docs/models/uncertainty.md, "Draws".
namespace stallcast::uncertain {

struct DrawOptions {
  predict::PredictOptions predict;
  std::optional<std::size_t> draws;  ///< none: as many as fit about a second on two cores
  /// Whether a drawn design can be built; none: all can.
  std::function<bool(const Design&)> valid = {};
  /// Puts draw i of what a profile measured into a design; none: nothing is measured.
  std::function<void(Design&, std::size_t)> vary = {};
};

/// Fewer draws say nothing of an interval, of how often a target holds, or of causes: 32 points of
/// some sixty dimensions have pairs of them that look alike.
inline constexpr std::size_t kFewest = 4, kFewestForTargets = 32, kFewestForShares = 64;

/// Draws of a design, each simulated once with the same seed.
struct DrawnDesigns {
  std::size_t asked = 0;  ///< 0: even few would take long
  std::vector<Input> inputs;
  std::vector<Design> designs;                   ///< that can be built
  std::vector<Prediction> predictions;           ///< of those that ended
  std::vector<std::size_t> which = {};           ///< of all draws, by prediction
  std::vector<std::vector<double>> points = {};  ///< quantiles of the inputs, by prediction
  std::size_t broken = 0;                        ///< that made no valid design, which are left out
  std::size_t cut_off = 0;   ///< that had not ended at the time limit, or when interrupted
  std::string why_few = {};  ///< why there are fewer than a small design would get; "" otherwise
  std::optional<Failure> failed = std::nullopt;  ///< why the first of these did not end

  /// Why they say nothing of the design: fewer than kFewest ended.
  [[nodiscard]] std::optional<Failure> too_few() const;
};

/// The same points for every design: what differs between two designs is not the draw. `nominal` is
/// the prediction of the design as it is. Nothing is asked for where even few would take long.
[[nodiscard]] DrawnDesigns simulated_draws(const Design& design, const Prediction& nominal,
                                           const DrawOptions& options);

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

/// How many inputs of `design` are drawn.
[[nodiscard]] std::size_t input_count(const Design& design);

/// Whether a target of `design` is to be judged by draws.
[[nodiscard]] bool asks_for_confidence(const Design& design);

}  // namespace stallcast::uncertain
