#include <algorithm>
#include <filesystem>

#include "calibration/claims.hpp"
#include "calibration/validate.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

namespace fs = std::filesystem;

/// A folder stands for its JSON files, sorted by name.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      out.push_back(path);
      continue;
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(path, ignored))
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    out.insert(out.end(), files.begin(), files.end());
  }
  return out;
}

int audit_claims(const calibration::LoadedClaims& claims, const CommonOptions& options,
                 report::Format format) {
  print_diagnostics(claims.diagnostics, options.quiet);
  if (claims.diagnostics.has_errors()) return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options);
  const Result<Audit> audit = calibration::audit(claims, predict_options(options, bar));
  bar.clear();
  if (!audit.ok()) return report_failure(audit.failure());
  return deliver(
      options,
      report::render(audit.value(), report_context(Design{}), format, report_style(options)),
      audit->faultless() ? ExitCode::ok : ExitCode::answer_no);
}

int validate_cases(const calibration::LoadedCases& cases, const CommonOptions& options,
                   report::Format format) {
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
  return deliver(
      options,
      report::render(validation.value(), report_context(Design{}), format, report_style(options)),
      finished ? ExitCode::ok : ExitCode::inconclusive);
}

}  // namespace

int validate_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::vector<std::string> paths;
  CommandLine line(verb);
  line.positionals(
      "CASES", paths,
      "case files (measurements and the scenarios they belong to) or claims files; a folder "
      "stands for its JSON files");
  line.simulation_options(options);
  line.format_option(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format);
  if (!format.ok()) return report_failure(format.failure());

  paths = files_of(paths);
  if (paths.empty())
    return report_failure({ExitCode::bad_input, "there is no JSON file in the folder", ""});
  const calibration::InputFiles files = calibration::open_files(paths);
  if (calibration::are_claims(files))
    return audit_claims(calibration::load_claims(files), options, format.value());
  return validate_cases(calibration::load_cases(files), options, format.value());
}

}  // namespace stallcast::cli
