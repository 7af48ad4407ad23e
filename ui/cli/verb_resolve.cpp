#include "ui/app/reference.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int resolve_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::string path;
  bool provenance = false;
  CommandLine line(verb);
  line.positional("SCENARIO", path, "scenario file; - reads standard input");
  line.flag("--provenance", provenance, "say of each value who set it, as a comment");
  line.scenario_options(options);
  line.text("--format", options.format, "NAME", "text (default) or json, without comments");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "text", "json")) return *exit;
  if (provenance && options.format == "json")
    return refuse("JSON has no comments to say provenance in",
                  "leave out --format or --provenance");
  const client::Reading reading =
      client::Session(settings_of(options)).read(source_of(path, options));
  print_diagnostics(reading.diagnostics, options.quiet);
  if (!reading.scenario) return static_cast<int>(ExitCode::bad_input);
  std::string text = client::resolved(reading.scenario->design(), provenance);
  if (!text.ends_with('\n')) text += '\n';
  return deliver(options, text, ExitCode::ok);
}

}  // namespace stallcast::cli
