#pragma once

#include <span>

#include "engine/decide/grow/trends.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/growth.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

/// When what there is runs out, as demand and the plant grow. docs/models/growth.md.
namespace stallcast::grow {

/// `failure` of what was made or simulated for a month.
[[nodiscard]] Failure in_month(int month, Failure failure);

/// Looks at every month of `spec` whether data fit, and simulates every `spec.every` months; where
/// a target or the load of a resource crosses its limit, also the months between.
/// `now`: the scenario's design. Without trends the failure is bad_input.
[[nodiscard]] Result<GrowthResult> grow(const Design& now, std::span<const Parameter> params,
                                        const GrowthSpec& spec, const Regrow& regrow,
                                        const predict::PredictOptions& options);

}  // namespace stallcast::grow
