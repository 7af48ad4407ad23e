#include <vector>

#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/markdown.hpp"

/// A comment that is updated in place: its first line tells a poster that it is ours. GitHub cuts
/// comments at 65,536 characters, GitLab later.
namespace stallcast::report {
namespace {

std::string headline(const CheckReport& report) {
  const std::string_view verdict = verdict_word(report);
  const char* sign = verdict == "pass"           ? ":white_check_mark:"
                     : verdict == "inconclusive" ? ":warning:"
                                                 : ":x:";
  return std::string("## ") + sign + " Stallcast: " + counts_text(report) + "\n";
}

std::string row(const Finding& f) {
  const std::string place = f.at.line > 0 ? place_text(f.at) : f.scenario->uri;
  if (f.assertion == nullptr)
    return "| error | " + markdown_literal(f.scenario->id) + " | " + markdown_literal(f.rule) +
           " | " + markdown_literal(f.message) + " | | " + markdown_literal(place) + " |\n";
  const CheckedAssertion& a = *f.assertion;
  return std::string("| ") + (f.error ? "**" : "") + std::string(status_name(a.status)) +
         (f.error ? "**" : " (warning)") + " | " + markdown_literal(f.scenario->id) + " | " +
         markdown_literal(a.outcome.id) + " | " + markdown_literal(value_text(a)) + " | " +
         markdown_literal(reason_text(a) + (a.note.empty() ? "" : "; " + a.note)) + " | " +
         markdown_literal(place) + " |\n";
}

std::string settled_row(const CheckedScenario& s, const CheckedAssertion& a) {
  std::string status(status_name(a.status));
  if (a.status == CheckStatus::waived) status += " until " + a.until + ": " + a.waive;
  return "| " + markdown_literal(s.id) + " | " + markdown_literal(a.outcome.id) + " | " +
         markdown_literal(value_text(a)) + " | " + markdown_literal(status) + " |\n";
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
  for (const std::string& why : report.stale) stale.push_back("- " + markdown_literal(why) + "\n");
  add_markdown_table(
      out, "\n| | scenario | assertion | predicted | why | where |\n|---|---|---|---|---|---|\n",
      open, most_bytes);
  add_markdown_table(out, "\nThe baseline is stale:\n\n", stale, most_bytes);
  add_markdown_table(
      out,
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
