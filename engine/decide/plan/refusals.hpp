#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decide/plan/designs.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// Something that `solve` refuses of a plan.
struct Refusal {
  std::string pointer;  ///< in the scenario; "" of what came from elsewhere
  Position position;    ///< may be none
  Failure failure;
};

struct Refusals {
  std::vector<Refusal> all;
  /// What is looked up among the metrics, which only a prediction knows: "job.train.goodput".
  std::optional<std::string> metric = std::nullopt;
};

/// Where a scenario says what `spec` asks the least or the most of.
[[nodiscard]] std::string objective_pointer(const PlanSpec& spec);

/// A plan needs a target that a design can meet.
[[nodiscard]] std::optional<Failure> refused_targets(const Design& design);

/// All that `solve` would refuse of `spec` without a simulation, targets aside.
[[nodiscard]] Refusals refusals(const PlanSpec& spec, const Design& design,
                                const RedesignAll& redesign);

}  // namespace stallcast::plan
