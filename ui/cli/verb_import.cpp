#include <algorithm>
#include <filesystem>
#include <vector>

#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "calibration/observe/formats/trace_format.hpp"
#include "calibration/observe/observation_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/importer.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/import_job.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

/// Of all that can be imported, sorted.
std::vector<std::string> format_ids() {
  std::vector<std::string> ids;
  for (const scenarios::Importer& importer : scenarios::importers()) ids.emplace_back(importer.id);
  for (const calibration::ResultImporter& importer : calibration::result_importers())
    ids.emplace_back(importer.id);
  for (const calibration::TraceFormat& trace : calibration::trace_formats())
    ids.emplace_back(trace.id);
  ids.emplace_back(kObservationFormat);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string known_formats() { return "formats: " + base::join(format_ids(), ", "); }

int unknown_format(const std::string& format) {
  const std::string near = base::nearest(format, format_ids());
  return refuse("no importer reads \"" + format + "\"",
                (near.empty() ? "" : "did you mean \"" + near + "\"? ") + known_formats());
}

/// Another tool's results as measurements.
int import_measurements(const calibration::ResultImporter& importer, const std::string& path,
                        bool fields, const CommonOptions& options) {
  const auto text = base::read_file(path);
  if (!text.ok()) return report_failure(text.failure());
  const auto* workload = scenarios::recognise_importer(text.value());
  if (workload != nullptr && calibration::recognise_results(text.value()) == nullptr)
    return refuse(path + " holds no results of " + std::string(importer.id) +
                      "; by its content it is: " + std::string(workload->summary),
                  "stallcast import " + std::string(workload->id) + " " + path);
  Diagnostics faults;
  const MeasurementSet set = calibration::import_results(importer, text.value(), path, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  return deliver(options,
                 fields ? report::measurements_text(set, report_style(options))
                        : calibration::write_measurements(set),
                 ExitCode::ok);
}

/// A trace of a job, in one file or several, as an observation, or as the scenario of that.
int import_trace(const calibration::TraceFormat& format, const std::vector<std::string>& paths,
                 bool names, bool fields, const JobImportWords& job, const CommonOptions& options) {
  Diagnostics faults;
  const Observation observation = calibration::import_observation(format, paths, names, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  if (job.scenario) return import_seen_job(observation, paths.front(), job, fields, options);
  return deliver(options,
                 fields ? report::observation_text(observation, report_style(options))
                        : calibration::write_observation(observation),
                 ExitCode::ok);
}

/// Where FORMAT is left out, its place has the first file: the format of its content.
std::string recognised(const std::string& path) {
  if (is_observation_file(path)) return kObservationFormat;
  if (const auto* trace = calibration::recognise_trace(path)) return std::string(trace->id);
  const auto text = base::read_file(path);
  const auto* results = text.ok() ? calibration::recognise_results(text.value()) : nullptr;
  if (results != nullptr) return std::string(results->id);
  const auto* workload = text.ok() ? scenarios::recognise_importer(text.value()) : nullptr;
  return workload != nullptr ? std::string(workload->id) : "";
}

/// What to import instead of results, for a scenario.
std::string scenario_hint(const std::string& format) {
  constexpr std::pair<std::string_view, std::string_view> kTraces[] = {
      {"darshan", "import darshan-dxt FILE --scenario reads traces of the same tool"},
      {"dlio-results", "import dlio-output FOLDER --scenario reads the folder they lie in"}};
  for (const auto& [results, hint] : kTraces)
    if (results == format) return "stallcast " + std::string(hint);
  return "stallcast calibrate FILE takes them: a scenario of its storage then uses the profile";
}

bool is_format(const std::string& word) {
  return word == kObservationFormat || calibration::find_trace_format(word) != nullptr ||
         calibration::find_result_importer(word) != nullptr ||
         scenarios::find_importer(word) != nullptr;
}

}  // namespace

int import_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string format, storage;
  std::vector<std::string> paths;
  bool fields = false, names = false;
  scenarios::ImportOptions how;
  JobImportWords job;
  CommandLine line(verb);
  line.positional(
      "FORMAT", format,
      "kind of file, as dlio, fio-job or observation (a scenario), fio (measurements) or kineto "
      "(a trace); may be left out where the content tells",
      false);
  line.takes("FORMAT", format_ids());
  line.positionals("FILE", paths, "the file to import; several files of one job for a trace",
                   false);
  line.integer("--hosts", how.hosts, 1, "servers, where the file does not say");
  line.integer("--accelerators", how.accelerators, 1, "GPUs of the job, on all hosts together");
  line.text("--storage", storage, "SCENARIO", "take cluster and storage from this scenario");
  line.texts("--override", how.overrides, "KEY=VALUE", "the tool's own override; repeatable");
  line.flag("--fields", fields, "print what became of the file's fields instead");
  line.flag("--scenario", job.scenario,
            "of a trace, the scenario that reproduces it, as import observation makes it");
  line.flag("--names", names, "keep the names of files and hosts of a trace; hashed by default");
  line.text("--profile", options.profile, "FILE",
            "observation or --scenario: the storage is as probes of it gave (stallcast calibrate)");
  line.text("--id", job.id, "NAME",
            "observation or --scenario: name of the scenario (default: of the first file)");
  line.flag("--no-check", job.no_check,
            "observation or --scenario: do not simulate the scenario, which leaves what waits tell "
            "unsolved");
  line.run_options(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (format == "-" || std::find(paths.begin(), paths.end(), "-") != paths.end())
    return refuse("import reads files, not standard input", "name a file; /dev/stdin is one");
  if (format.empty())
    return refuse(
        "FORMAT or FILE is missing",
        "stallcast import FORMAT FILE, or FILE alone where its content tells its format; " +
            known_formats());
  std::error_code ignored;
  if (!is_format(format) && std::filesystem::exists(format, ignored)) {
    const std::string named = "name it: stallcast import FORMAT " + format + "; " + known_formats();
    if (std::filesystem::is_fifo(format, ignored) ||
        std::filesystem::is_character_file(format, ignored))
      return refuse(format + " can be read once, so that its content cannot tell its format first",
                    named);
    const std::string found = recognised(format);
    const Failure why = found.empty() ? calibration::why_no_trace(format) : Failure{};
    if (!why.message.empty()) return report_failure(why);
    if (found.empty())
      return refuse("the content of " + format + " does not tell its format", named);
    paths.insert(paths.begin(), format);
    format = found;
  }
  if (paths.empty())
    return is_format(format) ? refuse("FILE is missing", "stallcast import " + format + " FILE")
                             : unknown_format(format);
  if (format == kObservationFormat) return import_job(paths, job, fields, options);
  if (const auto* trace = calibration::find_trace_format(format))
    return import_trace(*trace, paths, names, fields, job, options);
  if (paths.size() > 1 && is_format(format))
    return refuse("\"" + format + "\" takes one file", "several files are for traces of one job");
  const std::string& path = paths.front();
  if (job.scenario && calibration::find_result_importer(format) != nullptr)
    return refuse(
        "\"" + format + "\" gives measurements of a system, which have no job to simulate",
        scenario_hint(format));
  if (const auto* results = calibration::find_result_importer(format))
    return import_measurements(*results, path, fields, options);
  const scenarios::Importer* importer = scenarios::find_importer(format);
  if (importer == nullptr) return unknown_format(format);
  const auto text = base::read_file(path);
  if (!text.ok()) return report_failure(text.failure());
  if (const auto* results = calibration::recognise_results(text.value()))
    return refuse(path + " holds results, not a workload",
                  "stallcast import " + std::string(results->id) + " " + path);
  if (!storage.empty()) {
    auto read = base::read_file(storage);
    if (!read.ok()) return report_failure(read.failure());
    how.storage_text = std::move(read).value();
    how.storage_file = storage;
  }
  const scenarios::ImportResult result = importer->import(text.value(), path, how);
  print_diagnostics(result.diagnostics, options.quiet);
  if (result.scenario.empty()) return static_cast<int>(ExitCode::bad_input);
  std::string report = fields ? scenarios::print_fields(result) : result.scenario;
  if (!report.ends_with('\n')) report += '\n';
  return deliver(options, report, ExitCode::ok);
}

}  // namespace stallcast::cli
