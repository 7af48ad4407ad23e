#include <algorithm>
#include <string>
#include <utility>

#include "engine/decide/uncertain/outcomes.hpp"
#include "stallcast/diagnostic.hpp"

/// What draws found, as part of a prediction. docs/models/uncertainty.md.
namespace stallcast::uncertain {

bool asks_for_confidence(const Design& design) {
  return std::any_of(design.expect.begin(), design.expect.end(),
                     [](const Expectation& e) { return e.confidence.has_value(); });
}

void attach(Uncertainty found, const Design& design, Prediction& prediction) {
  for (const auto& [name, outcome] : found.metrics) {
    Metric& metric = prediction.metrics.at(name);
    metric.median = outcome.median;
    metric.ci90 = {outcome.all.low, outcome.all.high};
  }
  if (found.cut_off > 0 && asks_for_confidence(design))
    prediction.warnings.push_back(
        "no target's confidence is judged: " + std::to_string(found.cut_off) + " of " +
        std::to_string(found.draws + found.broken + found.cut_off) +
        " draws were cut off, by the time limit or an interrupt");
  prediction.uncertainty = std::move(found);
  if (prediction.assertions.empty()) return;
  const bool whole = prediction.verdict == predict::verdict_of(prediction.assertions);
  Diagnostics known;  // the prediction has been judged before
  prediction.assertions = predict::check(design, prediction, known);
  if (whole) prediction.verdict = predict::verdict_of(prediction.assertions);
}

}  // namespace stallcast::uncertain
