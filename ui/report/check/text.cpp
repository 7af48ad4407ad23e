#include <algorithm>

#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report {
namespace {

/// "FAIL", "WARN", ...: the first word of a line.
std::string word(const CheckedAssertion& a) {
  if (a.is_open() && !a.is_error()) return "WARN";
  switch (a.status) {
    case CheckStatus::fail:
      return "FAIL";
    case CheckStatus::inconclusive:
      return "UNSURE";
    case CheckStatus::waived:
      return "WAIVED";
    case CheckStatus::known:
      return "KNOWN";
    case CheckStatus::pass:
      break;
  }
  return "PASS";
}

std::string painted(const std::string& first, const Ink& ink) {
  return first == "PASS"                       ? ink.good(first)
         : first == "FAIL" || first == "ERROR" ? ink.bad(first)
                                               : ink.doubtful(first);
}

std::string line(const CheckedScenario& s, const CheckedAssertion& a, const Ink& ink) {
  std::string out = painted(word(a), ink) + " " + s.id + "  " + a.outcome.id + ": " + value_text(a);
  if (const std::string reason = reason_text(a); !reason.empty()) out += "  " + reason;
  if (a.status == CheckStatus::waived) out += "  waived until " + a.until + ": " + a.waive;
  if (!a.note.empty()) out += "; " + a.note;
  if (a.is_open() && !a.outcome.why.empty()) out += " (" + a.outcome.why + ")";
  return out + "\n";
}

}  // namespace

std::string check_text(const CheckReport& report, const CheckContext& context) {
  const Ink ink(context.style.colour);
  std::string out;
  for (const CheckedScenario& s : report.scenarios) {
    for (const Finding& f : scenario_findings(s))
      out += painted(s.exit == ExitCode::inconclusive ? "UNSURE" : "ERROR", ink) + " " +
             (f.at.line > 0 ? f.at.file + ":" + std::to_string(f.at.line) : s.path) + "  " +
             f.message + "\n";
    for (const bool open : {true, false})
      for (const CheckedAssertion& a : s.assertions)
        if (a.is_open() == open) out += line(s, a, ink);
    if (s.exit == ExitCode::ok && s.assertions.empty())
      out += painted("NONE", ink) + " " + s.id + "  no assertions (\"expect\")\n";
    for (const std::string& warning : s.warnings) out += "note " + s.id + "  " + warning + "\n";
  }
  for (const std::string& why : report.stale)
    out += painted("STALE", ink) + " baseline  " + why + "\n";
  out += counts_text(report) + "  model " + context.tool.model_version;
  if (context.style.timing) out += "  " + print_value(report.wall_s, "s");
  return out + "\n";
}

}  // namespace stallcast::report
