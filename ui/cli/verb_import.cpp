#include <vector>

#include "engine/base/files.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/importer.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {
namespace {

int unknown_format(const std::string& format) {
  std::vector<std::string> ids;
  for (const scenarios::Importer& importer : scenarios::importers()) ids.emplace_back(importer.id);
  const std::string near = base::nearest(format, ids);
  return report_failure(
      {ExitCode::bad_input, "no importer reads \"" + format + "\"",
       near.empty() ? "known: " + base::join(ids, ", ") : "did you mean \"" + near + "\"?"});
}

}  // namespace

int import_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string format, path, storage;
  bool fields = false;
  scenarios::ImportOptions how;
  CommandLine line(verb);
  line.positional("FORMAT", format, "kind of file: dlio");
  line.positional("FILE", path, "the file to import");
  line.integer("--hosts", how.hosts, 1, "servers, where the file does not say");
  line.integer("--accelerators", how.accelerators, 1, "GPUs of the job, on all hosts together");
  line.text("--storage", storage, "SCENARIO", "take cluster and storage from this scenario");
  line.texts("--override", how.overrides, "KEY=VALUE", "the tool's own override; repeatable");
  line.flag("--fields", fields, "print what became of each field instead of the scenario");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const scenarios::Importer* importer = scenarios::find_importer(format);
  if (importer == nullptr) return unknown_format(format);
  const auto text = base::read_file(path);
  if (!text.ok()) return report_failure(text.failure());
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
