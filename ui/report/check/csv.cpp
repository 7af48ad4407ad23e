#include "engine/base/quantity_text.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? base::shortest(*value) : std::string();
}

}  // namespace

std::string check_csv(const CheckReport& report, const CheckContext&) {
  std::string out =
      csv_row({"path", "scenario", "assertion", "level", "status", "metric", "value", "unit",
               "limit", "upper", "baseline", "state", "limited_by", "fix", "until", "message"});
  for (const CheckedScenario& s : report.scenarios) {
    for (const CheckedAssertion& a : s.assertions)
      out += csv_row({s.uri, s.id, a.outcome.id, a.outcome.level,
                      std::string(status_name(a.status)), a.outcome.metric, number(a.outcome.value),
                      a.outcome.unit, number(a.outcome.limit), number(a.outcome.upper),
                      number(a.before), std::string(state_name(a.state)),
                      a.outcome.waited ? "" : a.outcome.limited_by, a.fix, a.until, ""});
    for (const Finding& f : scenario_findings(s))
      out += csv_row({s.uri, s.id, f.rule, "error",
                      s.exit == ExitCode::inconclusive ? "inconclusive" : "error", "", "", "", "",
                      "", "", "", "", "", "", f.message});
  }
  for (const std::string& why : report.stale)
    out += csv_row({stale_place(report), why.substr(0, why.find(':')), kStaleRule, "error",
                    "inconclusive", "", "", "", "", "", "", "", "", "", "", why});
  return out;
}

}  // namespace stallcast::report
