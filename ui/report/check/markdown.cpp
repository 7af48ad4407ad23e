#include <vector>

#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

/// A comment that is updated in place: its first line tells a poster that it is ours. GitHub cuts
/// comments at 65,536 characters, GitLab later.
namespace stallcast::report {
namespace {

constexpr std::size_t kMostOfAComment = 60'000;
constexpr std::size_t kReserve = 400;  // for the lines that say what was left out

/// Text of a scenario in a table: no markup of it comes alive, no mention notifies anybody.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : markdown_cell(text)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '@')
      out += "&#64;";
    else if (c == '`' || c == '*' || c == '_' || c == '[' || c == ']')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string headline(const CheckReport& report) {
  const std::string_view verdict = verdict_word(report);
  const char* sign = verdict == "pass"           ? ":white_check_mark:"
                     : verdict == "inconclusive" ? ":warning:"
                                                 : ":x:";
  return std::string("## ") + sign + " Stallcast: " + counts_text(report) + "\n";
}

std::string row(const Finding& f) {
  const std::string place =
      f.at.line > 0 ? f.at.file + ":" + std::to_string(f.at.line) : f.scenario->uri;
  if (f.assertion == nullptr)
    return "| error | " + cell(f.scenario->id) + " | " + cell(f.rule) + " | " + cell(f.message) +
           " | | " + cell(place) + " |\n";
  const CheckedAssertion& a = *f.assertion;
  return std::string("| ") + (f.error ? "**" : "") + std::string(status_name(a.status)) +
         (f.error ? "**" : " (warning)") + " | " + cell(f.scenario->id) + " | " +
         cell(a.outcome.id) + " | " + cell(value_text(a)) + " | " +
         cell(reason_text(a) + (a.note.empty() ? "" : "; " + a.note)) + " | " + cell(place) +
         " |\n";
}

std::string settled_row(const CheckedScenario& s, const CheckedAssertion& a) {
  std::string status(status_name(a.status));
  if (a.status == CheckStatus::waived) status += " until " + a.until + ": " + a.waive;
  return "| " + cell(s.id) + " | " + cell(a.outcome.id) + " | " + cell(value_text(a)) + " | " +
         cell(status) + " |\n";
}

/// A table as far as there is room; says how many rows are missing.
void add_table(std::string& out, const std::string& head, const std::vector<std::string>& rows,
               std::size_t most, const std::string& foot) {
  if (rows.empty() || out.size() + head.size() + foot.size() + kReserve > most) return;
  out += head;
  std::size_t shown = 0;
  while (shown < rows.size() && out.size() + rows[shown].size() + foot.size() + kReserve <= most)
    out += rows[shown++];
  if (shown < rows.size())
    out += "\n" + std::to_string(rows.size() - shown) + " more are not shown.\n";
  out += foot;
}

}  // namespace

std::string check_markdown_within(const CheckReport& report, const CheckContext& context,
                                  std::size_t most_bytes) {
  std::string out = "<!-- stallcast:" + context.tag + " -->\n" + headline(report);
  std::vector<std::string> open, settled, stale;
  for (const Finding& f : findings(report)) open.push_back(row(f));
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      if (!a.is_open()) settled.push_back(settled_row(s, a));
  for (const std::string& why : report.stale) stale.push_back("- " + cell(why) + "\n");
  add_table(out,
            "\n| | scenario | assertion | predicted | why | where |\n|---|---|---|---|---|---|\n",
            open, most_bytes, "");
  add_table(out, "\nThe baseline is stale:\n\n", stale, most_bytes, "");
  add_table(out,
            "\n<details><summary>" + std::to_string(settled.size()) +
                " other assertions</summary>\n\n| scenario | assertion | predicted | status |\n" +
                "|---|---|---|---|\n",
            settled, most_bytes, "\n</details>\n");
  return out + "\nModels " + context.tool.model_version + ", stallcast " + context.tool.version +
         "\n";
}

std::string check_markdown(const CheckReport& report, const CheckContext& context) {
  return check_markdown_within(report, context, kMostOfAComment);
}

}  // namespace stallcast::report
