#pragma once

#include "engine/decide/predict/predict.hpp"
#include "stallcast/result.hpp"
#include "stallcast/timeline.hpp"

namespace stallcast::predict {

/// What happens in the first of the simulations that `predict` makes with the same arguments.
[[nodiscard]] Result<Timeline> record(const Design& design, const TimelineRequest& what,
                                      const PredictOptions& options);

}  // namespace stallcast::predict
