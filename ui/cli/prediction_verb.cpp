#include "ui/cli/prediction_verb.hpp"

namespace stallcast::cli {

PredictionVerb::PredictionVerb(const Verb& verb, Advice advice) : line_(verb), advice_(advice) {
  line_.positional("SCENARIO", path_, "scenario file; - reads standard input");
}

std::optional<int> PredictionVerb::begin(std::span<const std::string> args) {
  line_.scenario_options(options_);
  line_.simulation_options(options_);
  if (advice_ == Advice::optional)
    line_.flag("--no-advice", no_advice_, "do not try changes by simulation");
  line_.format_option(options_);
  line_.output_options(options_);
  if (const auto exit = line_.parse(args)) return *exit;
  const auto format = report::parse_format(options_.format);
  if (!format.ok()) return report_failure(format.failure());
  format_ = format.value();

  input_.emplace(path_, options_);
  design_ = input_->design();
  if (!design_.has_value()) return static_cast<int>(ExitCode::bad_input);
  return std::nullopt;
}

}  // namespace stallcast::cli
