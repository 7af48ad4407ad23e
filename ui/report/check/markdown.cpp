#include <algorithm>
#include <vector>

#include "stallcast/metric.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/markdown.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// A verdict, a few figures, and all else folded. A comment is updated in place: its first line
/// tells a poster that it is ours. GitHub cuts comments at 65,536 characters, GitLab later.
namespace stallcast::report {
namespace {

constexpr std::size_t kMostDesigns = 5;

std::string_view sign_of(const CheckReport& report) {
  const std::string_view verdict = verdict_word(report);
  return markdown_sign(verdict == "pass"           ? Verdict::pass
                       : verdict == "inconclusive" ? Verdict::inconclusive
                                                   : Verdict::fail);
}

/// One design that was predicted is spoken of as `run` does.
const CheckedScenario* alone(const CheckReport& report) {
  const bool one = report.scenarios.size() == 1 && report.scenarios[0].exit == ExitCode::ok &&
                   report.scenarios[0].prediction && !report.scenarios[0].assertions.empty();
  return one ? &report.scenarios[0] : nullptr;
}

/// "## :x: Stallcast: llm: FAIL, 1 of 2 targets missed", of several how many assertions ended how.
std::string headline(const CheckReport& report) {
  std::string out = "## " + std::string(sign_of(report)) + "Stallcast: ";
  const CheckedScenario* one = alone(report);
  return out +
         (one == nullptr
              ? counts_text(report)
              : markdown_literal(one->id) + ": " + upper(verdict_word(report)) + ", " +
                    verdict_text(*one) + (report.stale.empty() ? "" : ", baseline stale")) +
         "\n";
}

/// Worse ones first: those that fail, those that are not sure, the rest.
std::vector<const CheckedScenario*> by_verdict(const CheckReport& report) {
  std::vector<const CheckedScenario*> out;
  for (const Finding& f : findings(report))
    if (std::find(out.begin(), out.end(), f.scenario) == out.end()) out.push_back(f.scenario);
  for (const CheckedScenario& s : report.scenarios)
    if (std::find(out.begin(), out.end(), &s) == out.end()) out.push_back(&s);
  return out;
}

/// One line for each of the first few designs: verdict, utilization, what limits it, what helps.
std::string designs(const CheckReport& report) {
  std::string out =
      "\n| design | verdict | GPU utilization | why | what would help |\n|---|---|---:|---|---|\n";
  const std::vector<const CheckedScenario*> order = by_verdict(report);
  for (std::size_t i = 0; i < std::min(order.size(), kMostDesigns); ++i) {
    const CheckedScenario& s = *order[i];
    std::string busy;
    if (s.prediction)
      for (const auto& [job, shares] : s.prediction->breakdown)
        if (const Metric* m = find(*s.prediction, metric::gpu_utilization(job)))
          busy += (busy.empty() ? "" : ", ") + print_share(m->value) +
                  goodput_remark(goodput_left(*s.prediction, job));
    out += "| " + markdown_literal(s.id) + " | " + markdown_literal(verdict_text(s)) + " | " +
           busy + " | " + markdown_literal(limit_text(s)) + " | " +
           markdown_literal(s.prediction ? advice_phrase(*s.prediction) : s.hint) + " |\n";
  }
  if (order.size() > kMostDesigns)
    out += "\n" + std::to_string(order.size() - kMostDesigns) + " more designs are below.\n";
  return out;
}

/// As `run` says it; a target whose limit holds may have become worse than the baseline.
std::string lead(const CheckReport& report) {
  if (const CheckedScenario* one = alone(report)) {
    Prediction said = *one->prediction;
    for (const CheckedAssertion& a : one->assertions)
      for (AssertionOutcome& target : said.assertions)
        if (target.id == a.outcome.id && target.status == "pass" && a.status == CheckStatus::fail)
          target.status = "worse than the baseline; pass";
    return markdown_lead(said, limit_text(*one));
  }
  return report.scenarios.empty() ? "" : designs(report);
}

std::string row(const Finding& f) {
  const std::string place = f.at.line > 0 ? place_text(f.at) : f.scenario->uri;
  if (f.assertion == nullptr)
    return "| error | " + markdown_literal(f.scenario->id) + " | " + markdown_literal(f.rule) +
           " | " + markdown_literal(f.message) + " | | " + markdown_literal(place) + " |\n";
  const CheckedAssertion& a = *f.assertion;
  return std::string("| ") + (f.error ? "**" : "") + std::string(status_name(a.status)) +
         (f.error ? "**" : " (warning)") + " | " + markdown_literal(f.scenario->id) + " | " +
         markdown_literal(a.outcome.id) + " | " + markdown_literal(value_phrase(*f.scenario, a)) +
         " | " +
         markdown_literal(reason_text(*f.scenario, a) + (a.note.empty() ? "" : "; " + a.note)) +
         " | " + markdown_literal(place) + " |\n";
}

std::string settled_row(const CheckedScenario& s, const CheckedAssertion& a) {
  std::string status(status_name(a.status));
  if (a.status == CheckStatus::waived) status += " until " + a.until + ": " + a.waive;
  return "| " + markdown_literal(s.id) + " | " + markdown_literal(a.outcome.id) + " | " +
         markdown_literal(value_phrase(s, a)) + " | " + markdown_literal(status) + " |\n";
}

}  // namespace

std::string check_markdown_within(const CheckReport& report, const CheckContext& context,
                                  std::size_t most_bytes) {
  std::string out = "<!-- stallcast:" + context.tag + " -->\n" + headline(report) + lead(report);
  std::vector<std::string> open, settled, stale, idle;
  for (const Finding& f : findings(report)) open.push_back(row(f));
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      if (!a.is_open()) settled.push_back(settled_row(s, a));
  for (const std::string& why : report.stale) stale.push_back("- " + markdown_literal(why) + "\n");
  add_markdown_table(out, "\nThe baseline is stale:\n\n", stale, most_bytes);
  for (const std::string& rule : report.idle_rules)
    idle.push_back("- " + markdown_literal(idle_rule_text(rule)) + "\n");
  add_markdown_table(out, "\nNot judged:\n\n", idle, most_bytes);
  out +=
      "\n<details><summary>" + count_of(open.size() + settled.size(), "finding") + "</summary>\n";
  add_markdown_table(
      out, "\n| | scenario | assertion | predicted | why | where |\n|---|---|---|---|---|---|\n",
      open, most_bytes);
  add_markdown_table(out,
                     "\nWhat holds, or is accepted:\n\n| scenario | assertion | predicted | status "
                     "|\n|---|---|---|---|\n",
                     settled, most_bytes);
  return out + "\n</details>\n\nModels " + context.tool.model_version + ", stallcast " +
         context.tool.version + "\n";
}

std::string check_markdown(const CheckReport& report, const CheckContext& context) {
  return check_markdown_within(report, context, kMostOfAComment);
}

}  // namespace stallcast::report
