#pragma once

#include <span>

#include "engine/decide/plan/confident.hpp"
#include "engine/decide/plan/designs.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"

/// The inverse problem: the best design that meets every target of a scenario.
namespace stallcast::plan {

/// Searches what `spec` names (nothing: how many OSTs, servers, ... of the storage system the
/// bounds study) for the design with the least of its objective that meets the error-level targets
/// of `design`. Expectations on what only a plan knows are judged in the end; what is wrong with
/// them goes to `options.faults`, and the failure is bad_input then. With `spec.confidence` the
/// search is repeated with draws of the uncertain inputs; `help` is theirs.
[[nodiscard]] Result<PlanResult> solve(const Design& design, const PlanSpec& spec,
                                       const RedesignAll& redesign,
                                       const predict::PredictOptions& options,
                                       const DrawHelp& help = {});

/// One simulated candidate, for reports. Its values are left empty.
[[nodiscard]] PlanPoint point_of(const Prediction& prediction, std::span<const PartDown> outages);

/// The place of the tightest target; nullptr without targets.
[[nodiscard]] const TargetMargin* tightest(const PlanPoint& point);

/// The limit that a target keeps that misses its own, or that its interval leaves open: the worse
/// end of the interval.
[[nodiscard]] double limit_kept(const TargetMargin& target);

/// GPU utilization that `with` has more than `base`; of tenants alone, of the time of their
/// requests, what it saves.
[[nodiscard]] double gained(const Prediction& base, const Prediction& with);

}  // namespace stallcast::plan
