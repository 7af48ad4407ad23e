#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int run_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string path;
  bool no_advice = false;
  CommandLine line(verb);
  line.positional("SCENARIO", path, "scenario file; - reads standard input");
  line.scenario_options(options);
  line.simulation_options(options);
  line.flag("--no-advice", no_advice, "do not try changes by simulation");
  line.format_option(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format);
  if (!format.ok()) return report_failure(format.failure());

  const ScenarioInput input(path, options);
  const std::optional<Design> design = input.design();
  if (!design.has_value()) return static_cast<int>(ExitCode::bad_input);
  int exit = 0;
  std::optional<Prediction> prediction = predict_design(input, *design, options, exit);
  if (!prediction.has_value()) return exit;
  if (!no_advice) add_alternatives(input, *design, options, *prediction);
  return deliver(
      options,
      report::render(*prediction, report_context(*design), format.value(), report_style(options)),
      exit_of(prediction->verdict));
}

}  // namespace stallcast::cli
