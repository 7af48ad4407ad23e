#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"

/// One page without scripts or anything to fetch.
namespace stallcast::report {
namespace {

constexpr std::string_view kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;"
    "color:#1c2430;background:#fff}"
    "table{border-collapse:collapse;width:100%;margin:.5rem 0 2rem}"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d7dce2}"
    ".pass{color:#17692f}.fail,.error{color:#a3161a;font-weight:600}"
    ".inconclusive,.warn{color:#855400}.waived,.known{color:#555f6b}"
    "small,.where{color:#555f6b}"
    "@media(prefers-color-scheme:dark){body{color:#e3e7ec;background:#14181d}"
    "th,td{border-color:#38414b}.pass{color:#6fce8a}.fail,.error{color:#ff8a86}"
    ".inconclusive,.warn{color:#eebd63}.waived,.known,small,.where{color:#9aa5b1}}";

std::string cell(std::string_view text, std::string_view css = "") {
  return (css.empty() ? "<td>" : "<td class=\"" + std::string(css) + "\">") + markup(text) +
         "</td>";
}

std::string place(const Position& at) {
  return at.line > 0 ? at.file + ":" + std::to_string(at.line) : at.file;
}

std::string row(const CheckedAssertion& a) {
  const bool warning = a.is_open() && !a.is_error();
  const std::string status(status_name(a.status));
  std::string why = reason_text(a);
  for (const std::string& more :
       {a.note,
        a.status == CheckStatus::waived ? "until " + a.until + ": " + a.waive : std::string(),
        a.is_open() ? a.outcome.why : std::string()})
    if (!more.empty()) why += (why.empty() ? "" : "; ") + more;
  return "<tr>" + cell(warning ? status + " (warning)" : status, warning ? "warn" : status) +
         cell(a.outcome.id) + cell(value_text(a)) + cell(why) +
         cell(place(a.is_open() ? a.culprit : a.at), "where") + "</tr>\n";
}

}  // namespace

std::string check_html(const CheckReport& report, const CheckContext& context) {
  const std::string verdict(verdict_word(report));
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Stallcast: " +
      markup(counts_text(report)) + "</title>\n<style>" + std::string(kStyle) +
      "</style></head><body>\n<h1 class=\"" + verdict + "\">" + markup(counts_text(report)) +
      "</h1>\n";
  for (const std::string& why : report.stale)
    out += "<p class=\"warn\">stale baseline: " + markup(why) + "</p>\n";
  for (const CheckedScenario& s : report.scenarios) {
    out += "<h2>" + markup(s.id) + " <small>" + markup(s.uri) + "</small></h2>\n";
    for (const Finding& f : scenario_findings(s))
      out += "<p class=\"error\">" + markup(place(f.at)) + ": " + markup(f.message) + "</p>\n";
    for (const std::string& warning : s.warnings)
      out += "<p class=\"warn\">" + markup(warning) + "</p>\n";
    if (s.assertions.empty()) continue;
    out +=
        "<table><thead><tr><th>status</th><th>assertion</th><th>predicted</th><th>why</th>"
        "<th>where</th></tr></thead><tbody>\n";
    for (const CheckedAssertion& a : s.assertions) out += row(a);
    out += "</tbody></table>\n";
  }
  return out + "<p><small>models " + markup(context.tool.model_version) + ", stallcast " +
         markup(context.tool.version) + "</small></p>\n</body></html>\n";
}

}  // namespace stallcast::report
