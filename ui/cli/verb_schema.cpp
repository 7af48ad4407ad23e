#include "ui/app/reference.hpp"
#include "ui/cli/command_line.hpp"
#include "ui/cli/terminal.hpp"
#include "ui/cli/verbs.hpp"

namespace stallcast::cli {

int schema_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  CommandLine line(verb);
  bool markdown = false;
  line.flag("--markdown", markdown, "the reference page of all fields instead of the JSON Schema");
  options.format = "json";
  line.text("--format", options.format, "NAME", "json (default) or markdown, as --markdown");
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  if (const auto exit = check_format(verb, options, "json", "markdown")) return *exit;
  markdown = markdown || options.format == "markdown";
  std::string text = markdown ? client::field_reference() : client::scenario_schema();
  if (!text.ends_with('\n')) text += '\n';
  return deliver(options, text, ExitCode::ok);
}

}  // namespace stallcast::cli
