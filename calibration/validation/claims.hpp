#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/validation/claim_quantity.hpp"
#include "calibration/validation/input_files.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/audit.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "stallcast/scenario.hpp"

/// Claims files: what others state of training and storage, and how to compute the same figure.
///
///   { "schema": "stallcast.claims/1", "id": "...", "title": "...", "note": "...",
///     "claims": [ { "id": "A023", "claim": "...", "verdict": "right", "note": "...", "basis":
///     "...",
///                   "checks": [ { "what": "...", "compute": "P * b", "inputs": "own",
///                                 "with": { "P": "70e9", "b": "2" },
///                                 "claimed": "140 GB", "correct": "...", "tolerance": "1 %",
///                                 "against": { "claim": "D046" } } ] } ] }
///
/// "claimed" is what the text says, "test" in its place what we take where it gives no figure.
/// "against" names what a figure is off from: { "claim": ID }, { "dated": "2024-07" },
/// { "conclusion": "..." }, { "published": "the best of ..." }. "basis" is one of kClaimBases, for
/// claims that no figure decides.
///
/// `compute` is an expression over the names of `with`. A name stands for a quantity ("2 TB"), a
/// catalogue value ("catalog:gpu/h100-sxm#HBM bandwidth", with "@low" or "@high" for an end of a
/// range), or an object: { "scenario", "variant", "set", "metric" } is simulated, with "bound" in
/// place of "metric" it is derived without simulating, { "plan", "param", "set" } is the smallest
/// value of a parameter that meets the targets of a scenario.
///
/// A verdict is not free: it is that of the rule in kClaimVerdicts (`verdict_of`).
namespace stallcast::calibration {

inline constexpr std::string_view kClaimsSchema = "stallcast.claims/1";

/// What the figures of a claim say together; where none decides, its `basis` counts.
[[nodiscard]] ClaimOutcome outcome_of(std::span<const ClaimFigure> figures, std::string_view basis);

/// The verdict that follows, one of kClaimVerdicts; "" of `argued`, which a note makes right or
/// wrong.
[[nodiscard]] std::string_view verdict_of(ClaimOutcome outcome);

/// Whether a claim whose figures came out so may have this verdict.
[[nodiscard]] bool follows(std::string_view verdict, ClaimOutcome outcome);

/// Where a name of a formula gets its value from.
struct ClaimInput {
  enum class From { value, metric, bound, plan };
  std::string name;
  From from = From::value;
  double value = 0.0;        ///< of From::value
  std::string quantity;      ///< metric or derivation
  std::size_t scenario = 0;  ///< index in `scenarios`, or in `plans`
};

/// A scenario to simulate, or to search.
struct ClaimScenario {
  ScenarioFile file;
  std::string param;                 ///< what a search varies
  std::optional<Scenario> scenario;  ///< none when it has faults
  Design design;
};

/// A figure that is yet to be computed.
struct ClaimTask {
  std::size_t file = 0, claim = 0, figure = 0;  ///< place in the audit
  std::string expression;
  std::vector<ClaimInput> inputs;
  Statement correct;
  std::optional<Statement> claimed;
  ClaimTolerance tolerance;
};

/// What came of reading claims files.
struct LoadedClaims {
  Audit audit;  ///< without computed figures
  std::vector<ClaimTask> tasks;
  std::vector<ClaimScenario> scenarios;  ///< to simulate or to bound, each once
  std::vector<ClaimScenario> plans;      ///< to search, each once
  Diagnostics diagnostics;
};

/// Reads claims files and the scenarios they name. Never throws on any input; all faults at once.
[[nodiscard]] LoadedClaims load_claims(const InputFiles& files);

/// Computes every figure, simulating each scenario once, and judges every claim. A figure that
/// cannot be computed is a fault of its claim; a failure when the simulations did not end.
/// REQUIRES: `loaded` has no error.
[[nodiscard]] Result<Audit> audit(const LoadedClaims& loaded,
                                  const predict::PredictOptions& options);

}  // namespace stallcast::calibration
