#include <algorithm>

#include "calibration/validate.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int validate_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::vector<std::string> paths;
  CommandLine line(verb);
  line.positionals("CASES", paths, "case files: measurements and the scenarios they belong to");
  line.simulation_options(options);
  line.format_option(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format);
  if (!format.ok()) return report_failure(format.failure());

  const calibration::LoadedCases cases = calibration::load_cases(paths);
  print_diagnostics(cases.diagnostics, options.quiet);
  if (cases.diagnostics.has_errors()) return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options);
  Diagnostics faults;
  const Result<Validation> validation =
      calibration::validate(cases, predict_options(options, bar), faults);
  bar.clear();
  if (faults.has_errors()) {
    print_diagnostics(faults, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  if (!validation.ok()) return report_failure(validation.failure());
  const auto& ran = validation->cases;
  const bool finished =
      std::all_of(ran.begin(), ran.end(), [](const ValidatedCase& c) { return c.finished; });
  return deliver(options,
                 report::render(validation.value(), report_context(Design{}), format.value(),
                                report_style(options)),
                 finished ? ExitCode::ok : ExitCode::inconclusive);
}

}  // namespace stallcast::cli
