#pragma once

#include <functional>
#include <optional>

#include "engine/decide/plan/designs.hpp"
#include "engine/decide/plan/space.hpp"
#include "stallcast/plan.hpp"
#include "stallcast/result.hpp"

namespace stallcast::plan {

/// What the best design has the least of, or the most.
struct Objective {
  PlanObjective about;
  /// The figure itself, of a design; empty where only a simulation can say.
  std::function<double(const Cell&)> of_cell;
  /// The same from its simulation, which may have no such figure: then the failure says so.
  std::function<Result<double>(const Prediction&)> of_prediction;

  [[nodiscard]] std::optional<double> of(const Cell& cell, const Prediction& prediction) const {
    if (of_cell) return of_cell(cell);
    const Result<double> figure = of_prediction(prediction);
    return figure.ok() ? std::optional(*figure) : std::nullopt;
  }
  /// Less is better.
  [[nodiscard]] double cost(double figure) const { return about.maximize ? -figure : figure; }
};

/// Why a metric cannot be what `spec` asks the least or the most of: the most of a stall, the least
/// of a utilization, or the most of it where nothing is said to be searched. nullopt for what is
/// searched, an input, or a name nobody knows.
[[nodiscard]] std::optional<Failure> refused_metric(const PlanSpec& spec, const Design& design);

/// Why no number of accelerators can be found where one is asked for: nothing here computes on any.
[[nodiscard]] std::optional<Failure> refused_accelerators(const PlanSpec& spec,
                                                          const Design& design);

/// The name that `spec` asks the least or the most of, where it is looked up among metrics: it is
/// neither searched nor an input.
[[nodiscard]] std::optional<std::string> metric_asked(const PlanSpec& spec, const Design& design,
                                                      const std::vector<Axis>& axes);

/// Why `spec` has no objective, as far as that is known without a simulation, which says what
/// metrics there are.
[[nodiscard]] std::optional<Failure> refused_objective(const PlanSpec& spec, const Design& design,
                                                       const std::vector<Axis>& axes);

/// The objective of `spec`: something searched, an input of the design, or a metric. `designs` must
/// outlive it; a metric is looked up in a prediction of the scenario as it is.
[[nodiscard]] Result<Objective> make_objective(const PlanSpec& spec, const Design& design,
                                               Designs& designs);

}  // namespace stallcast::plan
