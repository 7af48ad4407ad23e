#pragma once

#include "stallcast/diff.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "ui/report/report.hpp"

/// Hand-made results for the renderers: round numbers, every section filled.
namespace stallcast::report::testing {

[[nodiscard]] Prediction missed_target();
/// missed_target() with what 64 draws say.
[[nodiscard]] Prediction drawn();
[[nodiscard]] Prediction nothing_to_gain();
[[nodiscard]] PlanResult found_plan();
[[nodiscard]] PlanResult infeasible_plan();
[[nodiscard]] Explanation explanation();
/// Three changes of the above, shared by Shapley values; the design was better before.
[[nodiscard]] Diff worse_design();
[[nodiscard]] ReportContext context();

}  // namespace stallcast::report::testing
