#pragma once

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::predict {

/// What can be said without simulating: docs/models/bounds.md. `method` is "estimate". Metrics are
/// "job.J.gpu.utilization", an upper bound, lowered where jobs that share storage get less by
/// max-min shares, "job.J.checkpoint.size", and where there are prices "cost.capex" and, for that
/// utilization, "cost.gpu_idle". An assertion on a utilization fails when its bound is below the
/// limit, and holds when it asks for less than a limit that the bound keeps; one on the capex is
/// decided; all others are inconclusive.
[[nodiscard]] Prediction estimate(const Design& design);

}  // namespace stallcast::predict
