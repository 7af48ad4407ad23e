#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/cli/command_line.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/report/report.hpp"

/// What the verbs that predict one scenario have in common: their options and how they begin.
namespace stallcast::cli {

/// To be used in this order: construct, declare what the verb has of its own on `line()`, `begin`.
class PredictionVerb {
 public:
  enum class Advice { none, optional };  ///< optional: with --no-advice

  /// Declares the scenario. `verb` must outlive this.
  PredictionVerb(const Verb& verb, Advice advice);
  PredictionVerb(const PredictionVerb&) = delete;
  PredictionVerb& operator=(const PredictionVerb&) = delete;

  [[nodiscard]] CommandLine& line() { return line_; }

  /// Declares the options all have, reads the command line and the scenario. The exit code when the
  /// verb ends here: help was printed, the usage is wrong, or there is no design.
  [[nodiscard]] std::optional<int> begin(std::span<const std::string> args);

  // REQUIRES of the rest: `begin` gave nothing.
  [[nodiscard]] const CommonOptions& options() const { return options_; }
  [[nodiscard]] const ScenarioInput& input() const { return *input_; }
  [[nodiscard]] const Design& design() const { return *design_; }
  [[nodiscard]] bool wants_advice() const { return advice_ == Advice::optional && !no_advice_; }
  /// Renders what the verb found and writes it where the user said. The exit code.
  template <class Found>
  [[nodiscard]] int deliver(const Found& found, ExitCode exit) const {
    return cli::deliver(
        options_, report::render(found, report_context(*design_), format_, report_style(options_)),
        exit);
  }

 private:
  CommandLine line_;
  Advice advice_;
  bool no_advice_ = false;
  std::string path_;
  CommonOptions options_;
  report::Format format_{};
  std::optional<ScenarioInput> input_;
  std::optional<Design> design_;
};

}  // namespace stallcast::cli
