#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibration/validation/input_files.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "stallcast/validation.hpp"

/// Case files: published measurements, and the scenarios of the systems they were made on.
///
///   { "id": "...", "title": "...", "source": "...", "note": "...",
///     "cases": [ { "id": "...", "scenario": "file next to this one", "variant": "...",
///                  "set": ["path=value"], "source": "...", "note": "...",
///                  "measured": { "job.train.au": "93.5 %" } } ] }
namespace stallcast::calibration {

/// One published figure.
struct CaseFigure {
  std::string metric;
  std::string text;     ///< as written: "93.52 %"
  std::string pointer;  ///< in the case file; "" where the source is not JSON
  Position position;    ///< of the value
};

/// One case, its scenario resolved.
struct Case {
  std::string id;
  std::string scenario;  ///< path that was opened
  std::string source;
  std::string note;
  Design design;  ///< without its expectations: a validation compares and asserts nothing
  std::vector<CaseFigure> measured;
};

/// How the scenarios of all cases are read.
struct CaseReading {
  const CalibrationProfile* profile = nullptr;  ///< fitted values; outlives the cases
  std::vector<std::string> sets = {};           ///< "path=value", after those of a case
};

/// Measured systems, wherever they were read. `cases` is complete exactly when there is no error.
struct LoadedCases {
  std::vector<CaseFile> files;
  std::vector<Case> cases;
  Diagnostics diagnostics;  ///< of the files and of their scenarios, with their places
  const CalibrationProfile* profile = nullptr;  ///< that they were read with
};

/// Reads case files and the scenarios they name. Never throws on any input; all faults at once.
[[nodiscard]] LoadedCases load_cases(const InputFiles& files, const CaseReading& how = {});

/// Predicts all cases in one batch and compares; with `draws` of each, its intervals, too. Faults
/// that only the predictions show (a measured metric that the simulation does not yield, a unit
/// that does not fit) go to `faults` with their places; the failure is then bad_input. REQUIRES:
/// `loaded` has no error.
[[nodiscard]] Result<Validation> validate(const LoadedCases& loaded,
                                          const predict::PredictOptions& options, std::size_t draws,
                                          Diagnostics& faults);

/// The comparison of one case with its prediction; faults as for `validate`.
[[nodiscard]] ValidatedCase compare(const Case& measured, const Prediction& prediction,
                                    Diagnostics& faults);

/// Errors per metric, over the jobs' names.
[[nodiscard]] std::vector<ErrorSummary> summarise(std::span<const ValidatedCase> cases);
/// How often intervals hold what was measured, over the jobs' names; of figures that have them.
[[nodiscard]] Coverage coverage_of(std::span<const ValidatedCase> cases);

}  // namespace stallcast::calibration
