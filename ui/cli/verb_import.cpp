#include <algorithm>
#include <vector>

#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/measurement_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/importer.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

int unknown_format(const std::string& format) {
  std::vector<std::string> ids;
  for (const scenarios::Importer& importer : scenarios::importers()) ids.emplace_back(importer.id);
  for (const calibration::ResultImporter& importer : calibration::result_importers())
    ids.emplace_back(importer.id);
  std::sort(ids.begin(), ids.end());
  return refuse("no importer reads \"" + format + "\"", suggestion(format, ids));
}

/// Another tool's results as measurements.
int import_measurements(const calibration::ResultImporter& importer, const std::string& path,
                        bool fields, const CommonOptions& options) {
  const auto text = base::read_file(path);
  if (!text.ok()) return report_failure(text.failure());
  Diagnostics faults;
  const MeasurementSet set = calibration::import_results(importer, text.value(), path, faults);
  print_diagnostics(faults, options.quiet);
  if (faults.has_errors()) return static_cast<int>(ExitCode::bad_input);
  return deliver(options,
                 fields ? report::measurements_text(set, report_style(options))
                        : calibration::write_measurements(set),
                 ExitCode::ok);
}

}  // namespace

int import_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string format, path, storage;
  bool fields = false;
  scenarios::ImportOptions how;
  CommandLine line(verb);
  line.positional("FORMAT", format, "kind of file, as dlio (a scenario) or fio (measurements)");
  line.positional("FILE", path, "the file to import");
  line.integer("--hosts", how.hosts, 1, "servers, where the file does not say");
  line.integer("--accelerators", how.accelerators, 1, "GPUs of the job, on all hosts together");
  line.text("--storage", storage, "SCENARIO", "take cluster and storage from this scenario");
  line.texts("--override", how.overrides, "KEY=VALUE", "the tool's own override; repeatable");
  line.flag("--fields", fields, "print what became of the file's fields instead");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
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
