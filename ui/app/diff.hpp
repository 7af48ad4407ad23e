#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stallcast/client.hpp"

namespace stallcast::client {

/// Predicts designs in their order, as Session::predict_all does.
using PredictAll = std::function<std::vector<Result<Prediction>>(std::span<const Design>)>;

/// Session::diff, with the simulations left to `predict_all`.
[[nodiscard]] Result<Diff> diff(const DiffInput& base, const DiffInput& head,
                                const DiffQuestion& question, const PredictAll& predict_all);

}  // namespace stallcast::client
