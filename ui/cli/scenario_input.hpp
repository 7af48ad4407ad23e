#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/client.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "ui/app/diff_input.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/report/report.hpp"

/// What every verb that reads a scenario does with it.
namespace stallcast::cli {

/// The scenario of a command line; reads standard input when its path is "-".
[[nodiscard]] ScenarioFile source_of(const std::string& path, const CommonOptions& options);

[[nodiscard]] client::Settings settings_of(const CommonOptions& options);

/// How to predict; progress goes to `bar`, which must outlive this.
[[nodiscard]] client::Question question_of(const CommonOptions& options, ProgressBar& bar);

/// The same for verbs that simulate without a session.
[[nodiscard]] predict::PredictOptions predict_options(const CommonOptions& options,
                                                      ProgressBar& bar);

[[nodiscard]] report::Style report_style(const CommonOptions& options);

[[nodiscard]] ExitCode exit_of(Verdict verdict);

/// Reads the scenario of an operand that is one and prints what is wrong with it and is not among
/// `said`, which it joins; false when it gives no design.
[[nodiscard]] bool read_scenario(const client::Session& session, client::DiffOperand& operand,
                                 bool quiet, Diagnostics& said);

}  // namespace stallcast::cli
