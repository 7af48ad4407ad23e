#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// The inverse problem: the fewest of something that meets every target of a scenario.
namespace stallcast::plan {

/// Predictions of several counts, in their order, all with the same seeds.
using Evaluate = std::function<std::vector<Result<Prediction>>(std::span<const std::int64_t>)>;

/// What is searched.
struct Problem {
  std::int64_t lower_bound = 1;  ///< where the search starts: fluid necessary conditions
  std::int64_t infinity = 0;     ///< a count that stands for "any number"; 0: 64 times the bound
  std::string metric;            ///< "storage.scratch.osts.required"
  std::string noun;              ///< what is counted: "OSTs"
  std::string owner;             ///< of what: "storage scratch"
};

/// Searches the smallest count whose error-level targets all pass, and its neighbours.
///
/// First a very large count: if that fails, no count helps and the status is `infeasible`. Then the
/// bound, its doubles, and bisection. A count larger than the answer that fails (storage counts
/// change placement and striping) moves the answer above it: the count reported is the smallest
/// such that every larger one simulated passes. Which counts are simulated depends only on the
/// problem and the outcomes. The first failure of `evaluate` ends the search.
[[nodiscard]] Result<PlanResult> solve(const Problem& problem, const Evaluate& evaluate);

/// `evaluate` for designs made by `design_at`, simulated in one batch per call. The targets are
/// the expectations of the design, except those only `plan` computes.
[[nodiscard]] Evaluate simulate_designs(std::function<Result<Design>(std::int64_t)> design_at,
                                        const predict::Options& options);

/// GPU utilization of all jobs together: the mean over jobs of "job.J.gpu.utilization".
[[nodiscard]] double mean_utilization(const Prediction& prediction);

}  // namespace stallcast::plan
