#pragma once

#include <optional>
#include <span>

#include "stallcast/check.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// What a check is told in words.
namespace stallcast::client {

/// A tolerance that is for no metric of these predictions: nobody would notice the typing error.
/// Nothing where nothing was predicted.
[[nodiscard]] std::optional<Failure> idle_tolerance(std::span<const Tolerance> tolerances,
                                                    std::span<const Prediction* const> predictions);

}  // namespace stallcast::client
