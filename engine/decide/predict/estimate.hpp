#pragma once

#include <map>
#include <string>

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

/// Adds, or makes again, what is computed over the utilization and goodput of jobs that `metrics`
/// have: costs, whole runs and power. [docs/models/cost.md, whole-run.md, power.md]
void add_over_utilizations(const Design& design, std::map<std::string, Metric>& metrics);

}  // namespace stallcast::predict
