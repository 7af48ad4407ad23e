#include "ui/app/reference.hpp"
#include "ui/app/values.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int resolve_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string path;
  bool provenance = false, merged = false;
  CommandLine line(verb);
  line.positional("SCENARIO", path, "scenario file; - reads standard input");
  line.flag("--provenance", provenance, "say of each value who set it, as a comment");
  line.flag("--merged", merged,
            "the file, what it extends, --variant and --set as one scenario file, otherwise as "
            "written");
  std::vector<std::string> paths;
  line.texts("--get", paths, "PATH",
             "only this value, as in storage.ost.count; json: with unit, range and source; "
             "repeatable");
  line.scenario_options(options);
  line.text("--format", options.format, "NAME", "text (default) or json, without comments");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  if (provenance && options.format == "json")
    return refuse("JSON has no comments to say provenance in",
                  "leave out --format or --provenance");
  if ((provenance ? 1 : 0) + (merged ? 1 : 0) + (paths.empty() ? 0 : 1) > 1)
    return refuse("--get, --merged and --provenance do not go together",
                  "write --get PATH --format json: it says where the value is from");
  const client::Reading reading =
      client::Session(settings_of(options)).read(source_of(path, options));
  print_diagnostics(reading.diagnostics, options.quiet);
  if (!reading.scenario) return static_cast<int>(ExitCode::bad_input);
  if (!paths.empty()) {
    const auto found = client::values(*reading.scenario, paths);
    if (!found.ok()) return report_failure(found.failure());
    std::string lines;
    for (const client::FoundValue& value : *found) lines += value.text + "\n";
    return deliver(options, options.format == "json" ? client::values_json(*found) : lines,
                   ExitCode::ok);
  }
  if (merged) return deliver(options, client::merged(*reading.scenario), ExitCode::ok);
  std::string text = client::resolved(reading.scenario->design(), provenance);
  if (!text.ends_with('\n')) text += '\n';
  return deliver(options, text, ExitCode::ok);
}

}  // namespace stallcast::cli
