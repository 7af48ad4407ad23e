#include <nlohmann/json.hpp>

#include "ui/app/lint.hpp"
#include "ui/cli/scenario_input.hpp"
#include "ui/cli/verbs.hpp"
#include "ui/report/report.hpp"

namespace stallcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::vector<std::string> row_of(const Diagnostic& d) {
  return {std::string(name_of(d.severity)),
          d.code,
          d.position.file,
          std::to_string(d.position.line),
          std::to_string(d.position.column),
          d.pointer,
          d.message,
          d.hint};
}

Json diagnostics_array(const Diagnostics& diagnostics) {
  Json out = Json::array();
  for (const Diagnostic& d : diagnostics.items())
    out.push_back({{"severity", name_of(d.severity)},
                   {"code", d.code},
                   {"file", d.position.file},
                   {"line", d.position.line},
                   {"column", d.position.column},
                   {"pointer", d.pointer},
                   {"message", d.message},
                   {"hint", d.hint}});
  return out;
}

std::size_t count(const Diagnostics& diagnostics, Severity severity) {
  std::size_t n = 0;
  for (const Diagnostic& d : diagnostics.items()) n += d.severity == severity ? 1U : 0U;
  return n;
}

/// What a run would only fail by is a fault of the design here: data that do not fit.
Diagnostics strictly(const Diagnostics& diagnostics) {
  Diagnostics out;
  for (Diagnostic d : diagnostics.items()) {
    if (d.code == "capacity") d.severity = Severity::error;
    out.add(std::move(d));
  }
  return out;
}

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

int lint_verb(const Verb& verb, std::span<const std::string> args) {
  CommonOptions options;
  std::vector<std::string> paths;
  CommandLine line(verb);
  line.positionals("SCENARIO", paths, "scenario files; - reads standard input");
  line.scenario_options(options);
  line.format_option(options);
  line.output_options(options);
  if (const auto exit = line.parse(args)) return *exit;
  const auto format = report::parse_format(options.format);
  if (!format.ok()) return report_failure(format.failure());
  bool good = true;
  std::string text;
  Json files = Json::array();
  std::vector<std::vector<std::string>> rows;
  const client::Session session(settings_of(options));
  for (const std::string& path : paths) {
    const Diagnostics found = strictly(client::lint(session, source_of(path, options)));
    print_diagnostics(found, options.quiet);
    const std::size_t errors = count(found, Severity::error);
    const std::size_t warnings = count(found, Severity::warning);
    good = good && errors == 0;
    text += path + ": " + (errors == 0 ? "ok" : counted(errors, "error"));
    text += warnings > 0 ? ", " + counted(warnings, "warning") + "\n" : "\n";
    files.push_back(
        {{"file", path}, {"ok", errors == 0}, {"diagnostics", diagnostics_array(found)}});
    for (const Diagnostic& d : found.items()) rows.push_back(row_of(d));
  }
  const Json report = {{"schema", "stallcast.lint/1"}, {"files", files}};
  if (*format == report::Format::json)
    text = report.dump(2) + "\n";
  else if (*format != report::Format::text)
    text = report::table_of(
        {"severity", "code", "file", "line", "column", "pointer", "message", "hint"}, rows,
        *format);
  return deliver(options, text, good ? ExitCode::ok : ExitCode::bad_input);
}

}  // namespace stallcast::cli
