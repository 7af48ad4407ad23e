#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "engine/decide/predict/predict.hpp"
#include "engine/decide/sweep/shard.hpp"
#include "engine/decide/sweep/store.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// Simulates what a sweep lacks.
namespace stallcast::sweep {

struct RunOptions {
  predict::PredictOptions predict;  ///< its time limit is for the whole call
  std::optional<Shard> shard;
  bool retry = false;  ///< what failed, instead of what was never simulated
  /// Adds to the prediction of a design what its figures may turn out to be. May be empty.
  std::function<void(const Design&, const predict::PredictOptions&, Prediction&)> draw = {};
  /// How many designs of how many have their result, now and then. May be empty.
  std::function<void(std::size_t, std::size_t)> on_progress = {};
};

/// Simulates every design of `plan` (of the shard) that has a result in neither `plan` nor
/// `results`, all with the same seeds, and keeps what comes in `results` twice a second or oftener.
/// `results` may be `plan`. A design that fails is a result, and the others go on.
///
/// nullopt when all are done; else why it ended early: the time limit or an interrupt
/// (inconclusive), a worker that cannot be started, a file that cannot be written.
[[nodiscard]] std::optional<Failure> run(const Store& plan, Store& results,
                                         const RunOptions& options);

/// What is kept of a prediction, or of the failure to make one.
[[nodiscard]] SweepOutcome outcome_of(Result<Prediction> prediction);

}  // namespace stallcast::sweep
