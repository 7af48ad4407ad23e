#include <algorithm>

#include "stallcast/label.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

/// "FAIL", "WARN", ...: the first word of a line.
std::string word(const CheckedAssertion& a) {
  if (a.is_open() && !a.is_error()) return "WARN";
  return a.status == CheckStatus::inconclusive ? "UNSURE" : upper(status_name(a.status));
}

std::string painted(const std::string& first, const Ink& ink) {
  return first == "PASS"                       ? ink.good(first)
         : first == "FAIL" || first == "ERROR" ? ink.bad(first)
                                               : ink.doubtful(first);
}

/// Below the first word of a line.
constexpr std::size_t kIndent = 5;

/// "FAIL what  how", broken at the end of the line.
std::string begun(const std::string& first, const std::string& what, const std::string& how,
                  const Ink& ink) {
  return painted(first, ink) +
         wrapped(first + " " + what + "  ", how, kIndent).substr(first.size());
}

/// Why, where, and what to do stand on lines of their own.
std::string lines(const CheckedScenario& s, const CheckedAssertion& a, const std::string& name,
                  const Ink& ink) {
  std::string out = begun(word(a), name, a.outcome.id + ": " + value_phrase(s, a), ink);
  const std::string below(kIndent, ' ');
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += wrapped(below, text, kIndent);
  };
  if (a.is_open() && !a.outcome.limited_by.empty() && !is_said_of_all(s, a)) add(limited_now(s, a));
  if (a.status == CheckStatus::waived) add("waived until " + a.until + ": " + a.waive);
  if (a.note != kNoChange) add(a.note);
  if (a.is_open() && !a.outcome.why.empty()) add("why it matters: " + a.outcome.why);
  return out;
}

/// What limits a design that misses targets, and what would help.
std::string said_once(const CheckedScenario& s) {
  std::string out;
  // Below a target that it is not of it says what it is of.
  const auto last = std::find_if(s.assertions.rbegin(), s.assertions.rend(),
                                 [](const CheckedAssertion& a) { return a.is_open(); });
  const bool of_last = last == s.assertions.rend() || !s.prediction ||
                       limit_of(*s.prediction).target == last->outcome.id;
  const std::string below = of_last ? std::string(kIndent, ' ') : "  " + s.id + ": ";
  for (const std::string& text :
       {limit_text(s), s.prediction ? advice_phrase(*s.prediction) : std::string()})
    if (!text.empty()) out += wrapped(below, text, kIndent);
  return out;
}

}  // namespace

std::string check_text(const CheckReport& report, const CheckContext& context) {
  const Ink ink(context.style.colour);
  std::string out;
  for (const CheckedScenario& s : report.scenarios) {
    // Of several files, which; ids may be alike.
    const bool several = report.scenarios.size() > 1 && !s.path.empty();
    const std::string name = several ? s.id + " (" + s.path + ")" : s.id;
    for (const Finding& f : scenario_findings(s))
      out += begun(s.exit == ExitCode::inconclusive ? "UNSURE" : "ERROR",
                   f.at.line > 0 ? place_text(f.at) : s.path, f.message, ink);
    for (const bool open : {true, false}) {
      for (const CheckedAssertion& a : s.assertions)
        if (a.is_open() == open) out += lines(s, a, name, ink);
      if (open && s.exit == ExitCode::ok) out += said_once(s);
    }
    if (s.exit == ExitCode::ok && s.assertions.empty())
      out += begun("NONE", name, "no assertions (\"expect\")", ink);
    for (const std::string& warning : warnings_of(s))
      out += wrapped("note " + name + "  ", warning, kIndent);
  }
  for (const std::string& rule : report.idle_rules)
    out += wrapped("note policy  ", idle_rule_text(rule), kIndent);
  for (const std::string& why : report.stale) out += begun("STALE", "baseline", why, ink);
  out += counts_text(report) + "  model " + context.tool.model_version;
  if (context.style.timing) out += "  " + print_value(report.wall_s, "s");
  return out + "\n";
}

}  // namespace stallcast::report
