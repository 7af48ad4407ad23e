#pragma once

#include <string>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/design.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/prediction.hpp"

/// Which storage system a plan is about.
namespace stallcast::plan {

/// Storage systems of which something can be counted that the figure of `target` depends on, what
/// limits it first; none where it says nothing of storage.
[[nodiscard]] std::vector<std::string> storages_of(const Design& design,
                                                   const Prediction& prediction,
                                                   const AssertionOutcome& target);

/// The storage system to size: what `spec` says. Where it says nothing and several can be counted,
/// that of the first target that `design` misses, by a simulation; "" for the one that the bounds
/// study.
[[nodiscard]] std::string storage_to_size(const PlanSpec& spec, const Design& design,
                                          const predict::PredictOptions& options);

}  // namespace stallcast::plan
