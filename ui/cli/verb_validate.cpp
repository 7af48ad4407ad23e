#include <algorithm>
#include <filesystem>
#include <limits>

#include "calibration/profile/profile_json.hpp"
#include "calibration/validation/claims.hpp"
#include "calibration/validation/sources/source.hpp"
#include "calibration/validation/validate.hpp"
#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::cli {
namespace {

namespace fs = std::filesystem;

/// How a validation is reported.
struct Wanted {
  report::Format format = report::Format::text;
  std::string picture;  ///< file for the picture of its intervals; "" for none
};

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

/// Writes the picture where one is wanted; prints why not.
bool write_picture(const Coverage& coverage, const std::string& file) {
  if (file.empty()) return true;
  const Result<bool> written = base::write_file(file, report::calibration_picture(coverage));
  if (!written.ok()) print_error(written.failure().message, written.failure().hint);
  return written.ok();
}

template <class Found>
int deliver_found(const CommonOptions& options, const Found& found, report::Format format,
                  ExitCode exit) {
  const report::ReportContext context = report::context_of({}, client::version());
  return deliver(options, report::render(found, context, format, report_style(options)), exit);
}

int audit_claims(const calibration::LoadedClaims& claims, const CommonOptions& options,
                 report::Format format) {
  print_diagnostics(claims.diagnostics, options.quiet);
  if (claims.diagnostics.has_errors()) return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options);
  const Result<Audit> audit = calibration::audit(claims, predict_options(options, bar));
  bar.clear();
  if (!audit.ok()) return report_failure(audit.failure());
  return deliver_found(options, *audit, format,
                       audit->faultless() ? ExitCode::ok : ExitCode::answer_no);
}

int validate_cases(const calibration::InputFiles& files, std::size_t draws,
                   const CommonOptions& options, const Wanted& wanted) {
  calibration::ProfileFiles profiles;
  calibration::CaseReading how{.sets = options.sets};
  if (!options.profile.empty()) {
    Diagnostics of_profile;
    how.profile = profiles.read(options.profile, of_profile);
    print_diagnostics(of_profile, options.quiet);
    if (how.profile == nullptr) return static_cast<int>(ExitCode::bad_input);
  }
  const calibration::LoadedCases cases = calibration::load_cases(files, how);
  print_diagnostics(cases.diagnostics, options.quiet);
  if (cases.diagnostics.has_errors()) return static_cast<int>(ExitCode::bad_input);
  ProgressBar bar(options);
  Diagnostics faults;
  const Result<Validation> validation =
      calibration::validate(cases, predict_options(options, bar), draws, faults);
  bar.clear();
  if (faults.has_errors()) {
    print_diagnostics(faults, options.quiet);
    return static_cast<int>(ExitCode::bad_input);
  }
  if (!validation.ok()) return report_failure(validation.failure());
  const auto& ran = validation->cases;
  const bool sure = std::all_of(ran.begin(), ran.end(), [&](const ValidatedCase& c) {
    return c.finished && !(options.strict_range && c.extrapolated);
  });
  if (!write_picture(validation->coverage, wanted.picture))
    return static_cast<int>(ExitCode::bad_input);
  return deliver_found(options, *validation, wanted.format,
                       sure ? ExitCode::ok : ExitCode::inconclusive);
}

/// Says which rows are not predicted, and why; how many even where all else is quiet. A table of
/// which no row is predicted was of no use.
ExitCode judge_rows(const RowValidation& rows, bool quiet) {
  constexpr std::size_t kMostNamed = 5;
  if (rows.rows.empty()) {
    print_error("stallcast: the table has no rows", "");
    return ExitCode::bad_input;
  }
  const std::vector<const PredictedRow*> missing = unpredicted(rows);
  if (missing.empty()) return ExitCode::ok;
  std::string why;
  for (std::size_t i = 0; i < missing.size() && !quiet; ++i) {
    if (i == kMostNamed) {
      why += "; and " + std::to_string(missing.size() - i) + " more";
      break;
    }
    const std::vector<std::string>& notes = missing[i]->notes;
    why += (why.empty() ? "" : "; ") + missing[i]->case_id +
           (notes.empty() ? "" : ": " + notes.back());
  }
  print_error("stallcast: " + std::to_string(missing.size()) + " of " +
                  std::to_string(rows.rows.size()) + " rows are not predicted",
              why);
  if (rows.stopped) return rows.stopped->exit;
  return missing.size() == rows.rows.size() ? ExitCode::bad_input : ExitCode::ok;
}

/// Predicts the rows of one table; `from` names its layout.
int validate_rows(const std::string& from, calibration::SourceOptions how,
                  const std::vector<std::string>& paths, const CommonOptions& options,
                  const Wanted& wanted) {
  const calibration::RowLayout* source = calibration::find_source(from);
  if (source == nullptr) {
    std::vector<std::string> ids;
    for (const calibration::RowLayout& s : calibration::sources()) ids.emplace_back(s.id);
    return refuse("no table is laid out as \"" + from + "\"", suggestion(from, ids));
  }
  if (paths.size() != 1) return refuse("--from takes one table");
  if (source->needs_probes && how.probes.empty())
    return refuse(from + " is calibrated from probes", "name their folder with --probes DIR");
  if (source->needs_probes && how.sheets_only)
    return refuse(from + " is calibrated from probes: no row of it calibrates another");
  if (source->needs_probes && !how.scenarios.empty())
    return refuse(from + " writes no scenarios: each draw of a row has one of its own");
  if (!source->needs_probes && !how.probes.empty())
    return refuse(from + " is not calibrated from probes", "leave --probes out");
  std::error_code error;
  if (!how.scenarios.empty()) fs::create_directories(how.scenarios, error);
  if (!how.scenarios.empty() && !fs::is_directory(how.scenarios, error))
    return refuse("cannot make the folder \"" + how.scenarios + "\"", error.message());
  const auto text = base::read_file(paths.front());
  if (!text.ok()) return report_failure(text.failure());
  ProgressBar bar(options);
  how.predict = predict_options(options, bar);
  Diagnostics faults;
  const Result<RowValidation> rows = source->predict(text.value(), paths.front(), how, faults);
  bar.clear();
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  if (!rows.ok()) return report_failure(rows.failure());
  if (!write_picture(rows->coverage, wanted.picture)) return static_cast<int>(ExitCode::bad_input);
  return deliver_found(options, *rows, wanted.format, judge_rows(*rows, options.quiet));
}

}  // namespace

int validate_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  // A page of errors is made of all rows, or of none.
  options.time_limit_s = std::numeric_limits<double>::infinity();
  std::vector<std::string> paths;
  CommandLine line(verb);
  line.positionals(
      "CASES", paths,
      "case files (measurements and the scenarios they belong to) or claims files; a folder "
      "stands for its JSON files");
  std::string from;
  calibration::SourceOptions how;
  line.text("--from", from, "LAYOUT", "CASES is one table of measurements, to predict row by row");
  line.text("--probes", how.probes, "DIR", "probe files that a table is calibrated from");
  std::optional<std::int64_t> draws;
  line.integer("--draws", draws, 4,
               "simulations of each row of a table (default 16; from probes 20), or of each case "
               "with its inputs drawn (default none)");
  line.flag("--sheets-only", how.sheets_only,
            "predict each row of a table from facts alone, whatever row calibrates it");
  line.text("--scenarios", how.scenarios, "DIR",
            "write the scenario that is made of each row of a table into this folder");
  Wanted wanted;
  line.text("--picture", wanted.picture, "FILE.svg",
            "draw how many measurements are inside intervals of 50 to 95 % of outcomes");
  line.texts("--set", options.sets, "PATH=VALUE",
             "override a value of the scenarios of all cases; repeatable");
  line.text("--profile", options.profile, "FILE",
            "take fitted values of all cases from this calibration profile");
  line.simulation_options(options);
  line.format_option(options, report::Pages::page);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  // Whether there are pages is known once the files are: claims have none.
  const auto format = report::parse_format(options.format, report::Pages::page);
  if (!format.ok()) return report_failure(format.failure());
  wanted.format = *format;
  how.draws = static_cast<std::size_t>(draws.value_or(0));

  const auto only_cases = [&](std::string_view what) {
    return refuse(
        "--set, --profile, --strict-range, --no-fold, --no-fast-forward and --backend are about "
        "case files",
        std::string(what));
  };
  const bool of_cases = !options.sets.empty() || !options.profile.empty() || options.strict_range;
  if (!from.empty() && of_cases)
    return only_cases(
        "rows of a table are scenarios of their own: write them with --scenarios DIR");
  if (!from.empty()) return validate_rows(from, how, paths, options, wanted);
  if (how.sheets_only || !how.probes.empty() || !how.scenarios.empty())
    return refuse("--sheets-only, --probes and --scenarios are about a table",
                  "say how it is laid out with --from LAYOUT");
  paths = files_of(paths);
  if (paths.empty()) return refuse("there is no JSON file in the folder");
  const calibration::InputFiles files = calibration::open_files(paths);
  if (calibration::are_claims(files)) {
    if (const auto plain = report::parse_format(options.format); !plain.ok())
      return report_failure(plain.failure());
    if (!wanted.picture.empty()) return refuse("claims have no intervals to draw");
    if (of_cases) return only_cases("claims name what they are computed with");
    if (how.draws > 0) return refuse("inputs of claims are not drawn", "leave --draws out");
    return audit_claims(calibration::load_claims(files), options, *format);
  }
  if (!wanted.picture.empty() && how.draws == 0)
    return refuse("without draws there are no intervals to draw", "add --draws 64");
  return validate_cases(files, how.draws, options, wanted);
}

}  // namespace stallcast::cli
