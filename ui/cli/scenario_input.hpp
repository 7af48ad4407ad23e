#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/predict/predict.hpp"
#include "scenarios/load.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/result.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/report/report.hpp"

/// What every verb that reads a scenario does with it.
namespace stallcast::cli {

/// One scenario file ("-" is standard input), loaded as often as changes are tried.
class ScenarioInput {
 public:
  /// `options` must outlive this.
  ScenarioInput(std::string path, const CommonOptions& options);

  /// Everything that is said about the scenario, assertions included; prints nothing.
  [[nodiscard]] scenarios::Loaded load() const;
  /// The design, or nullopt after printing why there is none. Warnings are printed too.
  [[nodiscard]] std::optional<Design> design() const;
  /// The design with more `--set` options after those of the command line; prints nothing.
  [[nodiscard]] Result<Design> design_with(std::vector<std::string> more_sets) const;
  /// nullptr without `--profile`.
  [[nodiscard]] const CalibrationProfile* profile() const {
    return profile_ ? &*profile_ : nullptr;
  }
  /// Gives diagnostics that have only a pointer their file, line and column.
  void place(Diagnostics& diagnostics) const;

 private:
  /// The text as JSON; null when it cannot be read.
  [[nodiscard]] base::JsonDocument document() const;
  [[nodiscard]] scenarios::Loaded load_with(std::vector<std::string> more_sets) const;

  std::string path_;
  std::optional<std::string> text_;  ///< of standard input
  std::optional<CalibrationProfile> profile_;
  Diagnostics profile_faults_;
  const CommonOptions& options_;
};

/// Options of a prediction; progress goes to `bar`, which must outlive them.
[[nodiscard]] predict::Options predict_options(const CommonOptions& options, ProgressBar& bar);

/// Versions and the inputs of `design` that were assumed.
[[nodiscard]] report::Context report_context(const Design& design);

[[nodiscard]] report::Style report_style(const CommonOptions& options);

/// Every value of a design with the path `--set` takes, in the order of the scenario.
[[nodiscard]] std::vector<std::pair<std::string, const Value*>> values_of(const Design& design);

/// A value as a scenario would write it.
[[nodiscard]] std::string print_input(const Value& value);

/// "scenario.json:12:5", "default, expert value (assumed)".
[[nodiscard]] std::string print_source(const Source& source);

[[nodiscard]] ExitCode exit_of(Verdict verdict);

/// Simulates the design; prints located faults or the failure. nullopt: `exit` is set.
[[nodiscard]] std::optional<Prediction> predict_design(const ScenarioInput& input,
                                                       const Design& design,
                                                       const CommonOptions& options, int& exit);

/// Tries the changes that would relieve the bottlenecks and adds them to `prediction`.
void add_alternatives(const ScenarioInput& input, const Design& design,
                      const CommonOptions& options, Prediction& prediction);

}  // namespace stallcast::cli
