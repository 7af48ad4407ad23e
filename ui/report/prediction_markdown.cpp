#include <algorithm>
#include <cmath>

#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/markdown.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

/// A comment under a change: a line of verdict, a few figures, and all else folded.
namespace stallcast::report {
namespace {

constexpr std::size_t kFigures = 5;

std::string row(const std::string& label, const std::string& predicted, const std::string& target) {
  return "| " + markdown_literal(label) + " | " + predicted + " | " + markdown_literal(target) +
         " |\n";
}

/// Goodput of a job without failures is its utilization: once is enough.
bool are_alike(const std::string& one, const std::string& other) {
  const auto busy = [](const metric::Name& name) {
    return name.figure == metric::kGpuUtilization || name.figure == metric::kGoodput;
  };
  const metric::Name a = metric::parse(one), b = metric::parse(other);
  return a.domain == b.domain && a.id == b.id && a.statistic == b.statistic && busy(a) && busy(b);
}

/// The utilization of each job, figures of targets, those missed first, and the next ones that have
/// a tile.
std::string first_figures(const Prediction& p) {
  std::vector<std::pair<std::string, std::string>> chosen;  // metrics and what is asked of them
  const auto add = [&](const std::string& metric, const std::string& target) {
    const Metric* m = find(p, metric);
    const bool known =
        m != nullptr && std::any_of(chosen.begin(), chosen.end(), [&](const auto& c) {
          return c.first == metric ||
                 (are_alike(c.first, metric) && find(p, c.first)->value == m->value);
        });
    if (!known && m != nullptr) chosen.emplace_back(metric, target);
  };
  for (const bool missed : {true, false})
    for (const AssertionOutcome& a : p.assertions)
      if ((a.status != "pass") == missed)
        add(a.metric, a.status + ": " + asked_phrase(a) +
                          (a.probability && a.confidence ? ", " + probability_phrase(a) : ""));
  for (const auto& [job, shares] : p.breakdown) add(metric::gpu_utilization(job), "");
  for (const auto tile : {metric::TileOn::both, metric::TileOn::page})
    for (const metric::Figure& figure : metric::figures())
      if (figure.tile == tile)
        for (const auto& [name, m] : p.metrics)
          if (metric::find(name) == &figure && metric::parse(name).statistic.empty()) add(name, "");
  std::string out = "\n| figure | predicted | target |\n|---|---|---|\n";
  for (std::size_t i = 0; i < std::min(chosen.size(), kFigures); ++i) {
    const auto& [metric, target] = chosen[i];
    const Metric& m = *find(p, metric);
    out += row(label::of_metric(metric, m.unit, p.breakdown.size() > 1),
               as_counted(metric, print_metric(m)), target);
  }
  return chosen.empty() ? "" : out;
}

/// What it costs, and the prices that rests on.
std::string costs_markdown(const Prediction& p, const ReportContext& context) {
  std::string out;
  for (const FigureBlock& block : figure_blocks(p)) {
    if (block.title != kCostTitle) continue;
    out += "\n### " + block.title + "\n\n| figure | value |\n|---|---:|\n";
    for (const FigureRow& row : block.rows)
      out += "| " + markdown_cell(row.label) + " | " + markdown_cell(row.text) + " |\n";
    if (!context.prices.empty()) out += "\n| price | value | source |\n|---|---:|---|\n";
    for (const InputLine& price : context.prices)
      out += "| `" + markdown_cell(price.path) + "` | " + markdown_cell(price.value) + " | " +
             markdown_literal(price.source) + " |\n";
  }
  return out;
}

std::string targets_markdown(const Prediction& p) {
  if (p.assertions.empty()) return "";
  const bool drawn =
      std::any_of(p.assertions.begin(), p.assertions.end(),
                  [](const AssertionOutcome& a) { return a.probability.has_value(); });
  std::string out = std::string("\n| target | assertion | predicted | status | limited by |") +
                    (drawn ? " holds in |" : "") + "\n|---|---|---|---|---|" +
                    (drawn ? "---|\n" : "\n");
  for (const AssertionOutcome& a : p.assertions)
    out += "| " + markdown_literal(a.id) + " | `" + markdown_cell(a.that) + "` | " +
           print_predicted(a) + " | " + a.status + " | " + markdown_cell(limited_cell(a)) + " |" +
           (drawn ? " " + cases_phrase(a) + " |\n" : "\n");
  return out;
}

/// What is not exact: what draws say to measure first, else all that is assumed.
std::string sureness_markdown(const Prediction& p, const ReportContext& context) {
  std::string out;
  const std::string settle = figure_to_settle(p);
  if (!settle.empty()) {
    out += "\n### What to measure first, for `" + settle +
           "`\n\n| input | of the spread | value and range | would remain, were it known | measure "
           "with |\n"
           "|---|---:|---|---|---|\n";
    for (const MeasureRow& row : measure_first(p, settle))
      out += "| `" + markdown_cell(row.input) + "` | " + row.share + " | " +
             markdown_cell(row.range) + " | " + row.rest + " | " + markdown_cell(row.with) + " |\n";
  } else if (!context.assumptions.empty()) {
    out += "\n### Assumed, not measured\n\n";
    for (const Assumption& a : context.assumptions)
      out += "- `" + a.path + "` = " + a.value + (a.why.empty() ? "" : " (" + a.why + ")") + "\n";
  }
  return p.uncertainty ? out + "\n" + draws_phrase(p) + "\n" : out;
}

std::string stages_markdown(const Prediction& p) {
  const std::vector<StageLine> rows = stage_lines(p);
  if (rows.empty()) return "";
  std::string out = "\n### Stages\n\n" + stage_limit(p) +
                    "\n\n| stage | when | reads | waits | limited by |\n|---|---|---|---|---|\n";
  for (const StageLine& row : rows)
    out += "| " + markdown_cell(row.id) + " | " + row.dates + " | " + row.rate + " | " +
           row.waited + " | " + markdown_cell(label::of_resource(row.limit)) + " |\n";
  return out;
}

std::string time_markdown(const Prediction& p) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    out += "\n### Job " + job + "\n\n";
    if (const Metric* m = find(p, metric::gpu_utilization(job)))
      out += "GPU utilization " + print_metric(*m) + goodput_remark(goodput_left(p, job)) + "\n\n";
    out += "| where the time goes | share |\n|---|---:|\n";
    const std::vector<int> tenths = tenths_of_percent(shares);
    for (std::size_t i = 0; i < tenths.size(); ++i)
      if (tenths[i] != 0)
        out += "| " + std::string(words_of_cause(i, cpu_words(p, job))) + " | " +
               print_tenths(tenths[i]) + " |\n";
  }
  return out;
}

std::string limits_markdown(const Prediction& p) {
  const std::vector<LimitRow> rows = limit_rows(p);
  if (rows.empty()) return "";
  std::string out = "\n### What limits it\n\n| resource |" + std::string(p.gains ? " gain |" : "") +
                    of_the_time(p) + " | busy | headroom |\n|---|" + (p.gains ? "---|" : "") +
                    "---:|---:|---|\n";
  for (const LimitRow& row : rows)
    out += "| " + markdown_cell(label::of_resource(row.resource)) + " | " +
           (p.gains ? markdown_cell(row.gain) + " | " : "") + row.waited + " | " + row.busy +
           " | " + markdown_cell(row.headroom) + " |\n";
  for (const std::string& note : {gains_note(p), limits_left_out(p)})
    if (!note.empty()) out += "\n" + note + "\n";
  return out;
}

std::string changes_markdown(const Prediction& p) {
  if (p.alternatives.empty()) return "";
  const bool alone = !time_gained(p).empty();
  const GainedFigure figure = figure_gained(p, p.alternatives);
  std::string out = "\n### Next change\n\n| change | " +
                    (alone ? "less time " + time_gained(p) : std::string(figure.name)) +
                    " | meets targets |\n|---|---:|---|\n";
  for (const Alternative& a : p.alternatives)
    out += "| " + markdown_cell(label::of_change(a.change)) + " | " +
           print_share(alone ? std::max(a.gain, 0.0) : a.*figure.value) + " | " +
           std::string(targets_word(a, p)) + " |\n";
  return out;
}

}  // namespace

std::string_view markdown_sign(Verdict verdict) {
  return verdict == Verdict::pass           ? ":white_check_mark: "
         : verdict == Verdict::fail         ? ":x: "
         : verdict == Verdict::inconclusive ? ":warning: "
                                            : "";
}

std::string markdown_lead(const Prediction& p, const std::string& limit) {
  std::string out;
  for (const std::string& phrase : {p.system, limit})
    if (!phrase.empty()) out += "\n" + markdown_literal(phrase) + "\n";
  if (const std::string advice = advice_phrase(p); !advice.empty())
    out += "\n**" + markdown_literal(advice) + "**\n";
  return out + first_figures(p);
}

std::string prediction_markdown(const Prediction& p, const ReportContext& context) {
  std::string out = "## " + std::string(markdown_sign(p.verdict)) +
                    markdown_literal(p.scenario_id) + ": " +
                    (p.verdict == Verdict::none ? "predicted" : upper(verdict_name(p.verdict)));
  if (const std::string phrase = verdict_phrase(p); !phrase.empty())
    out += ", " + markdown_literal(phrase);
  out += "\n" + markdown_lead(p, limit_phrase(p));
  out +=
      "\n<details><summary>Targets, time, limits, changes, costs, and what this rests "
      "on</summary>\n";
  out += targets_markdown(p) + time_markdown(p) + stages_markdown(p) + costs_markdown(p, context) +
         limits_markdown(p) + changes_markdown(p);
  out += warnings_markdown(p.warnings);
  if (const std::string said = calibrated_phrase(p); !said.empty())
    out += "\n" + markdown_literal(said) + "\n";
  return out + sureness_markdown(p, context) + "\n</details>\n\n" + made_by(context) + "\n";
}

}  // namespace stallcast::report
