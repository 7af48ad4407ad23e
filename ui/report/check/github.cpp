#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"

/// Workflow commands of GitHub Actions. It shows 10 annotations of a kind per step, so the worst
/// come first and the rest is counted.
namespace stallcast::report {
namespace {

constexpr std::size_t kMostOfAKind = 10;

/// What ends a command or a property is percent-encoded, "%" itself first of all.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string command(const Finding& f) {
  std::string out = f.error ? "::error " : "::warning ";
  out += "file=" + escaped(f.at.file.empty() ? f.scenario->uri : f.at.file, true);
  if (f.at.line > 0) out += ",line=" + std::to_string(f.at.line);
  if (f.at.line > 0 && f.at.column > 0) out += ",col=" + std::to_string(f.at.column);
  out += ",title=" + escaped(f.scenario->id + ": " + f.rule, true);
  return out + "::" + escaped(f.message, false) + "\n";
}

}  // namespace

std::string check_github(const CheckReport& report, const CheckContext&) {
  std::string out;
  std::size_t errors = 0, warnings = 0;
  for (const Finding& f : findings(report))
    if (++(f.error ? errors : warnings) <= kMostOfAKind) out += command(f);
  std::string notices;
  for (const auto& [n, what] : {std::pair{errors, "errors"}, {warnings, "warnings"}})
    if (n > kMostOfAKind)
      notices += "::notice::" + std::to_string(n - kMostOfAKind) + " more " + what +
                 ": the summary of the step has all\n";
  for (const std::string& rule : report.idle_rules)
    notices += "::notice title=policy::" + escaped(idle_rule_text(rule), false) + "\n";
  if (!report.stale.empty())
    out += "::warning " +
           (report.baseline.empty() ? "" : "file=" + escaped(report.baseline, true) + ",") +
           "title=stale baseline::" + escaped(report.stale.front(), false) +
           (report.stale.size() > 1
                ? " and " + std::to_string(report.stale.size() - 1) + " more reasons\n"
                : "\n");
  return out + notices + "::notice title=stallcast check::" + escaped(counts_text(report), false) +
         "\n";
}

}  // namespace stallcast::report
