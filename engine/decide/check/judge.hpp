#pragma once

#include <string>
#include <vector>

#include "engine/decide/check/baseline.hpp"
#include "stallcast/check.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"

/// Whether designs still are what they were decided to be.
namespace stallcast::check {

/// Judges every assertion of `design`; what cannot be judged (unknown metric, wrong unit) goes to
/// `faults`. Sets everything of the assertions but places, fixes and fingerprints. Without
/// `baseline`, assertions relative to one are faults, and nothing is a regression.
[[nodiscard]] std::vector<CheckedAssertion> judge(const Design& design,
                                                  const Prediction& prediction,
                                                  const ScenarioKey& scenario,
                                                  const Baseline* baseline, const CheckRules& rules,
                                                  Diagnostics& faults);

/// Names what limits `checked` again, as the target of `prediction` says now that gains are known.
void name_limit(const Prediction& prediction, CheckedAssertion& checked);

/// Whether the one with this id is missed, and nobody minds.
[[nodiscard]] bool is_accepted(const std::vector<CheckedAssertion>& all, const std::string& id);

/// Why what `baseline` has on a scenario no longer fits: other models, assertions that are gone or
/// now name another metric. Empty when it fits.
[[nodiscard]] std::vector<std::string> stale_entries(const Design& design,
                                                     const ScenarioKey& scenario,
                                                     const Baseline& baseline,
                                                     const CheckRules& rules);

/// The exit code of everything together: a bug before bad input before "no" before "not sure".
[[nodiscard]] ExitCode exit_of(const CheckReport& report, const CheckRules& rules);

}  // namespace stallcast::check
