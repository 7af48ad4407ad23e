#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::uncertain {

/// Whether a metric is computed over the utilization of all jobs: what idle GPUs cost and draw, and
/// what a useful GPU-hour costs.
[[nodiscard]] bool over_utilizations(std::string_view metric);

/// By how much such a metric changes, as the logarithm of a factor, when utilization and goodput of
/// every job do by `half_of` their name, on the scale of odds: of the middle one of `predictions`.
///     [docs/models/uncertainty.md, eq. 13]
[[nodiscard]] double half_over_utilizations(
    std::string_view metric, const Design& design, std::span<const Prediction> predictions,
    const std::function<double(const std::string&)>& half_of);

}  // namespace stallcast::uncertain
