#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/summary.hpp"

/// One page without scripts or anything to fetch.
namespace stallcast::report {
namespace {

std::string cell(std::string_view text, std::string_view css = "") {
  return (css.empty() ? "<td>" : "<td class=\"" + std::string(css) + "\">") + markup(text) +
         "</td>";
}

std::string row(const CheckedScenario& s, const CheckedAssertion& a) {
  const bool warning = a.is_open() && !a.is_error();
  const std::string status(status_name(a.status));
  std::string why = reason_text(a);
  for (const std::string& more :
       {a.note,
        a.status == CheckStatus::waived ? "until " + a.until + ": " + a.waive : std::string(),
        a.is_open() ? a.outcome.why : std::string()})
    if (!more.empty()) why += (why.empty() ? "" : "; ") + more;
  return "<tr>" + cell(warning ? status + " (warning)" : status, warning ? "warn" : status) +
         cell(a.outcome.id) + cell(value_phrase(s, a)) + cell(why) +
         cell(place_text(a.is_open() ? a.culprit : a.at), "where") + "</tr>\n";
}

}  // namespace

std::string check_html(const CheckReport& report, const CheckContext& context) {
  std::string out = html::element("h1", counts_text(report), verdict_word(report)) + "\n";
  for (const std::string& why : report.stale)
    out += "<p class=\"warn\">stale baseline: " + markup(why) + "</p>\n";
  for (const CheckedScenario& s : report.scenarios) {
    out += "<h2>" + markup(s.id) + " <small>" + markup(s.uri) + "</small></h2>\n";
    if (s.prediction) {
      out += html::element("p", s.prediction->system, "soft") + "\n";
      for (const std::string& text : {limit_text(s), advice_phrase(*s.prediction)})
        if (!text.empty()) out += html::element("p", text) + "\n";
    }
    for (const Finding& f : scenario_findings(s))
      out += "<p class=\"error\">" + markup(place_text(f.at)) + ": " + markup(f.message) + "</p>\n";
    for (const std::string& warning : warnings_of(s))
      out += "<p class=\"warn\">" + markup(warning) + "</p>\n";
    if (s.assertions.empty()) continue;
    out +=
        "<table><thead><tr><th>status</th><th>assertion</th><th>predicted</th><th>why</th>"
        "<th>where</th></tr></thead><tbody>\n";
    for (const CheckedAssertion& a : s.assertions) out += row(s, a);
    out += "</tbody></table>\n";
  }
  return html::page("Stallcast: " + counts_text(report), out + html::foot(context.tool));
}

}  // namespace stallcast::report
