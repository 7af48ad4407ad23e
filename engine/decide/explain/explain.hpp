#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/decide/explain/forms.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/explanation.hpp"
#include "stallcast/result.hpp"

/// Why a prediction is what it is. docs/guide/explain.md, docs/adr/0020.
namespace stallcast::explain {

/// The tree of one metric of one run, made of what that run measured and of closed forms.
/// REQUIRES: the run has the metric.
[[nodiscard]] ExplainNode account(const std::string& metric, const RunResult& run, Forms& forms);

/// Trees of `metrics` (empty: the headline ones), the prediction put in. `runs` are the replicas
/// the prediction was combined from, in order; without either, only closed forms are shown. A
/// metric that does not exist is a failure (bad_input) with the nearest name as its hint.
[[nodiscard]] Result<Explanation> explain(const Design& design, const Prediction* prediction,
                                          std::span<const RunResult> runs,
                                          const std::vector<std::string>& metrics);

/// Whether one of `asked` is no metric but what is printed of a limit ("OSTs of scratch"): names of
/// metrics have no spaces. What gains only together
/// with others is known by its name once gains are known.
[[nodiscard]] bool any_printed(const std::vector<std::string>& asked);

}  // namespace stallcast::explain
