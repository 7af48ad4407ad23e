#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stallcast/client.hpp"

namespace stallcast::client {

/// Predicts designs in their order, as Session::predict_all does.
using PredictAll = std::function<std::vector<Result<Prediction>>(std::span<const Design>)>;
/// Says what limits a design by what it would gain, as Session::rank_by_gain does.
using RankByGain = std::function<void(const Design&, Prediction&)>;

/// Session::diff, with the simulations left to `predict_all` and `rank_by_gain`.
[[nodiscard]] Result<Diff> diff(const DiffInput& base, const DiffInput& head,
                                const DiffQuestion& question, const PredictAll& predict_all,
                                const RankByGain& rank_by_gain);

/// What `head` says otherwise than `base`, as they are resolved: inherited values and defaults have
/// a value and a place too. Simulates nothing. REQUIRES: both are ok().
[[nodiscard]] std::vector<InputChange> changed_inputs(const Scenario& base, const Scenario& head);

/// A diff of which no side was simulated, for the reason `why`: the inputs that changed, where both
/// are scenarios, and no figures.
[[nodiscard]] Diff inputs_alone(const DiffInput& base, const DiffInput& head, const Failure& why);

}  // namespace stallcast::client
