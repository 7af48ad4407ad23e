#include "ui/report/advice.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/summary.hpp"

/// One page without scripts or anything to fetch.
namespace stallcast::report {
namespace {

std::vector<std::string> row(const CheckedScenario& s, const CheckedAssertion& a) {
  const bool warning = a.is_open() && !a.is_error();
  const std::string status(status_name(a.status));
  std::string why = reason_text(s, a);
  for (const std::string& more :
       {a.note,
        a.status == CheckStatus::waived ? "until " + a.until + ": " + a.waive : std::string(),
        a.is_open() ? a.outcome.why : std::string()})
    if (!more.empty()) why += (why.empty() ? "" : "; ") + more;
  return {
      html::element("span", warning ? status + " (warning)" : status, warning ? "warn" : status),
      markup(a.outcome.id), html::path(value_phrase(s, a)), markup(why),
      html::element("span", place_text(a.is_open() ? a.culprit : a.at), "where")};
}

}  // namespace

std::string check_html(const CheckReport& report, const CheckContext& context) {
  std::string out = html::element("h1", counts_text(report), verdict_word(report)) + "\n";
  for (const std::string& why : report.stale)
    out += "<p class=\"warn\">stale baseline: " + markup(why) + "</p>\n";
  for (const std::string& rule : report.idle_rules)
    out += html::element("p", idle_rule_text(rule), "warn") + "\n";
  int pictures = 0;
  for (const CheckedScenario& s : report.scenarios) {
    out += "<h2>" + markup(s.id) + " <small>" + markup(s.uri) + "</small></h2>\n";
    if (s.prediction) {
      out += html::element("p", s.prediction->system, "soft") + "\n";
      // The first one is "system"; ids on a page differ.
      const std::string id = pictures == 0 ? "system" : "system-" + std::to_string(pictures + 1);
      const std::string figure = html::picture_figure(*s.prediction, id);
      pictures += figure.empty() ? 0 : 1;
      out += figure;
      for (const std::string& text : {limit_text(s), advice_phrase(*s.prediction)})
        if (!text.empty()) out += html::element("p", text) + "\n";
    }
    for (const Finding& f : scenario_findings(s))
      out += "<p class=\"error\">" + markup(place_text(f.at)) + ": " + markup(f.message) + "</p>\n";
    for (const std::string& warning : warnings_of(s))
      out += "<p class=\"warn\">" + markup(warning) + "</p>\n";
    if (s.assertions.empty()) continue;
    std::vector<std::vector<std::string>> rows;
    for (const CheckedAssertion& a : s.assertions) rows.push_back(row(s, a));
    out += html::table({{"status"}, {"assertion"}, {"predicted"}, {"why"}, {"where"}}, rows);
  }
  return html::page("Stallcast: " + counts_text(report), out + html::foot(context.tool), false);
}

}  // namespace stallcast::report
