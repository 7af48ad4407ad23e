#pragma once

#include <functional>
#include <string>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

/// What limits a design, by what it would gain without. docs/models/blame.md.
namespace stallcast::gain {

struct GainOptions {
  predict::PredictOptions predict;
  /// Whether a changed design can be built; none: all can.
  std::function<bool(const Design&)> valid = {};
  /// The metric, a time, whose decrease is the gain; "": the time that jobs, or tenants alone, need
  /// for the same work.
  std::string of = {};
};

/// Parts of `design` are made twice as fast, owner by owner and then part by part, each simulated
/// once with the first seed; what that gains is put into `prediction`, the one of the design as it
/// is, and its bottlenecks are ranked by it. A large design has few or no parts tried. Designs that
/// do not end in time or cannot be built say nothing.
void rank_by_gain(const Design& design, Prediction& prediction, const GainOptions& options);

}  // namespace stallcast::gain
