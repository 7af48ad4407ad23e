#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "engine/decide/uncertain/inputs.hpp"
#include "engine/decide/uncertain/known.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/result.hpp"
#include "stallcast/uncertainty.hpp"

/// What the inputs of a design can be, given what was measured of it as it runs.
/// docs/models/uncertainty.md, "Given a run".
namespace stallcast::uncertain {

/// Standard deviations, of measurement and model together.
inline constexpr double kFarOff = 3.0;
/// Fewer independent draws say too little of an interval.
inline constexpr double kLeastEffective = 50.0;

struct ConditionOptions {
  predict::PredictOptions predict;
  std::size_t draws = 512;  ///< simulated first, from the priors
  /// Independent draws that are enough. Fewer than these 50 say too little of an interval.
  double effective = kLeastEffective;
  /// Whether a drawn design can be built; none: all can.
  std::function<bool(const Design&)> valid = {};
  /// Puts draw i of what a profile measured into a design; none: nothing is measured.
  std::function<void(Design&, std::size_t)> vary = {};
  /// What runs observed before have left of inputs: the first of those of the posterior.
  KnownDraws known = {};
  /// What was observed in runs of this design before.
  std::vector<SeenFigure> seen = {};
};

/// One observed figure and what was simulated of it.
struct Fitted {
  ObservedFigure observed;
  std::size_t seen = 0;             ///< times that it was observed of this design before
  double at = 0.0, measured = 0.0;  ///< on the scale of its errors: itself, its own deviation
  std::string unit;                 ///< of the metric
  Interval before;                  ///< 90 % of the draws from the priors
  Interval after;                   ///< 90 % of the draws that are left
  double median = 0.0;              ///< of those that are left
  double closest = 0.0;             ///< of the draw that explains all figures best
  double off = 0.0;                 ///< how far that is from the observed, in standard deviations
};

/// Equally likely joint draws of the inputs.
struct Posterior {
  std::vector<Input> inputs;
  std::vector<std::vector<double>> points;  ///< rows of quantiles of the inputs' priors
  std::vector<std::size_t> varied;          ///< of each row: the draw of what a profile measured
  /// What has to differ least from what the design says to explain what was observed, as `moved`
  /// takes it. The medians of `points` need not explain anything: where either of two limits may
  /// have decided, neither does at their medians.
  std::vector<double> centre;
  std::size_t simulated = 0;
  std::size_t rounds = 1;
  /// Of the draws that are left: how many independent ones say as much.
  double effective = 0.0;
  std::vector<Fitted> figures;
  std::vector<double> uses;  ///< GPU utilization of each job: the middle of the draws that are left
  /// False where even the best draw is more than `kFarOff` from a figure: nothing that the ranges
  /// allow explains it, and `points` must not be used.
  bool explained = false;
};

/// Draws from the priors of `design`, and rows of what is known, each weighted by how likely
/// `observed` is under its simulation. Where too few draws carry the weight, more are drawn around
/// what fits, by an expansion of the figures in the inputs, and weighted by how much likelier the
/// simulation is than the expansion had it. A failure where fewer than a tenth of the first draws
/// can be simulated, or where a metric is not one of the design. REQUIRES: `observed` is not empty.
[[nodiscard]] Result<Posterior> condition(const Design& design,
                                          std::span<const ObservedFigure> observed,
                                          const ConditionOptions& options);

/// The scale on which a figure's errors add up: the odds of what is lost for shares between 0 and
/// 1, the logarithm for all else that is positive.
[[nodiscard]] double on_error_scale(double value, std::string_view unit);
/// Undoes it, for shares and for what is positive.
[[nodiscard]] double from_error_scale(double value, std::string_view unit);

}  // namespace stallcast::uncertain
