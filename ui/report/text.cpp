#include <algorithm>
#include <cmath>
#include <cstdio>

#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"
#include "ui/report/waterfall.hpp"

namespace stallcast::report {
namespace {

constexpr std::size_t kCauseColumns = 29;
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kStageBar = 30;
constexpr std::size_t kMostResources = 12;
constexpr std::size_t kMostPrices = 12;
constexpr std::size_t kMostWarnings = 10;
constexpr std::size_t kFewWarnings = 3;

std::string headline(const Prediction& p, const Ink& ink) {
  const std::vector<SummaryLine> lines = summary_lines(p);
  // "ID: VERDICT, ..."
  const std::size_t id = p.scenario_id.size();
  const std::string_view verdict = verdict_name(p.verdict);
  const std::string said = p.verdict == Verdict::none ? "" : upper(verdict);
  std::string out = wrapped("",
                            ink.bold(p.scenario_id) + ": " +
                                ink.by_status(is_unlikely(p) ? "warn" : verdict, said) +
                                lines[0].text.substr(id + 2 + said.size()),
                            2);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const SummaryLine& line = lines[i];
    if (line.figure != std::string::npos && line.text.size() + 2 <= page_columns())
      out +=
          "  " + line.text.substr(0, line.figure) + ink.bold(line.text.substr(line.figure)) + "\n";
    else
      out += wrapped(line.detail ? "    " : "  ", line.text, line.detail ? 6 : 4);
  }
  return out;
}

/// What is left of a line behind a cause and its share.
double bar_columns() {
  constexpr std::size_t kBefore = kCauseColumns + 12;
  return static_cast<double>(page_columns() > kBefore + kLeastBar ? page_columns() - kBefore
                                                                  : kLeastBar);
}

/// A line for each of many jobs: causes side by side, those that nobody waits for left out.
std::string time_table(const Prediction& p, const Ink& ink) {
  constexpr const char* kHeads[] = {"compute", "network", "data",     "metadata",
                                    "CPU",     "saves",   "restarts", "slowest"};
  static_assert(std::size(kHeads) == kBreakdownCauses.size());
  constexpr std::size_t kMostJob = 14, kLeastJob = 6, kFigure = 7;  // "100.0 %"
  std::vector<std::size_t> shown;
  std::vector<std::pair<std::string, std::vector<int>>> jobs;
  for (const auto& [job, shares] : p.breakdown) jobs.emplace_back(job, tenths_of_percent(shares));
  for (std::size_t i = 0; i < std::size(kHeads); ++i)
    if (std::any_of(jobs.begin(), jobs.end(), [&](const auto& job) { return job.second[i] != 0; }))
      shown.push_back(i);
  // A blank is between any two columns; names have what is left.
  const auto width = [&](std::size_t i) {
    return 1 + std::max(kFigure, std::string_view(kHeads[i]).size());
  };
  std::size_t taken = 2;
  for (const std::size_t i : shown) taken += width(i);
  const std::size_t name =
      std::clamp(page_columns() - std::min(page_columns(), taken), kLeastJob, kMostJob);
  std::string out = "\n" + ink.bold("Where the time of each job goes") + "\n" + left("", name + 2);
  for (const std::size_t i : shown) out += right(kHeads[i], width(i));
  out += "\n";
  for (const auto& [job, tenths] : jobs) {
    out += "  " + left(shortened(job, name), name);
    for (const std::size_t i : shown) out += right(print_tenths(tenths[i]), width(i));
    out += "\n";
    if (const std::string undone = undone_phrase(p, job); !undone.empty())
      out += wrapped("    ", undone, 6);
  }
  return out + wrapped("  ",
                       "compute; all else is waiting: for the network, data, metadata, CPU cores, "
                       "saves, restarts and the slowest rank",
                       4);
}

std::string time_split(const Prediction& p, const Ink& ink) {
  if (p.breakdown.size() > kFewJobs) return time_table(p, ink);
  std::string out;
  for (const auto& [job, shares] : p.breakdown) {
    out += "\n" + ink.bold("Where the time of " + job + " goes") + "\n";
    const std::vector<int> tenths = tenths_of_percent(shares);
    double sum = 0.0;
    for (const auto& [cause, share] : shares) sum += share;
    for (std::size_t i = 0; i < tenths.size(); ++i) {
      if (tenths[i] == 0) continue;
      const auto bar = static_cast<std::size_t>(
          std::lround(static_cast<double>(tenths[i]) / 1000.0 * bar_columns()));
      out += "  " + left(words_of_cause(i, cpu_words(p, job)), kCauseColumns) +
             right(print_tenths(tenths[i]), 8);
      if (bar > 0) out += "  " + std::string(bar, '#');
      out += "\n";
    }
    out += "  " + left("total", kCauseColumns) + right(print_share(sum), 8) + "\n";
    if (const std::string undone = undone_phrase(p, job); !undone.empty())
      out += wrapped("  ", undone, 4);
  }
  return out;
}

/// A bar for each stage, over the time of all.
std::string stages(const Prediction& p, const Ink& ink) {
  const std::vector<StageLine> rows = stage_lines(p);
  if (rows.empty()) return "";
  std::string out = "\n" + ink.bold("Stages") + "\n";
  for (const StageLine& row : rows) {
    const auto cells = [](double share) {
      return static_cast<std::size_t>(std::lround(share * static_cast<double>(kStageBar)));
    };
    const std::size_t from = std::min(cells(row.begins), kStageBar - 1);
    const std::size_t length =
        std::clamp(cells(row.lasts), std::size_t{1}, std::max(kStageBar - from, std::size_t{1}));
    std::string bar(from, ' ');
    bar += std::string(length, '#');
    std::string text = row.dates;
    for (const std::string& more : {row.rate, row.waited}) text += more.empty() ? "" : ", " + more;
    if (!row.limit.empty()) text += ", limited by the " + label::of_resource(row.limit);
    out += "  " + left(shortened(row.id, 12), 14) + "|" + left(bar, kStageBar) + "|\n" +
           wrapped("    ", text, 6);
  }
  return out;
}

/// What costs rest on.
std::string prices(const ReportContext& context) {
  std::vector<std::string> lines;
  for (const InputLine& price : context.prices)
    lines.push_back(price.path + " = " + price.value + ", " + price.source);
  return bullets(lines, kMostPrices, "more prices (stallcast resolve --provenance)");
}

/// Blocks of figures; what costs rest on follows them.
std::string figures(const Prediction& p, const ReportContext& context, const Ink& ink) {
  std::string out;
  for (const FigureBlock& block : figure_blocks(p)) {
    out += "\n" + ink.bold(block.title) + "\n";
    for (const FigureRow& row : block.rows)
      out += wrapped("  " + left(row.label + " ", 20), row.text, 22);
    if (block.title == kCostTitle) out += prices(context);
  }
  return out;
}

std::string data_path_lines(const Prediction& p, const Ink& ink) {
  std::vector<const ResourceUse*> uses = data_path(p);
  if (uses.empty()) return "";
  const std::size_t hidden = uses.size() > kMostResources ? uses.size() - kMostResources : 0;
  uses.resize(uses.size() - hidden);
  std::string out = "\n" + ink.bold("Data path, mean over the run") + "\n";
  for (const ResourceUse* use : uses) out += use_line(*use);
  if (hidden > 0) out += "  ... and " + std::to_string(hidden) + " more (--format json)\n";
  return out;
}

std::string bottlenecks(const Prediction& p, const Ink& ink) {
  std::string out = "\n" + ink.bold("What limits it") + "\n";
  std::size_t shown = 0;
  for (const LimitRow& row : limit_rows(p))
    out += wrapped(
        "  " + std::to_string(++shown) + " " + left(label::of_resource(row.resource) + " ", 36),
        row.text + (row.by.empty() ? "" : ", most of it by " + row.by), 6);
  if (shown == 0) out += wrapped("  ", no_limit_rows(p), 4);
  for (const std::string& note : {gains_note(p), shown > 0 ? limits_left_out(p) : std::string()})
    if (!note.empty()) out += wrapped("  ", note, 4);
  return out;
}

std::string targets(const Prediction& p, const Style& style, const Ink& ink) {
  if (p.assertions.empty()) return "";
  std::string out = "\n" + ink.bold("Targets") + "\n";
  for (const AssertionOutcome& a : p.assertions) {
    const bool warns = a.level == "warn" && a.status == "fail";
    const std::string label = warns                        ? "WARN"
                              : a.status == "inconclusive" ? "UNSURE"
                                                           : upper(a.status);
    const bool unsure = a.status == "inconclusive" && a.ci95.has_value();
    const std::string asked = target_phrase(a, jobs_of(p).size() > 1);
    const std::string named = style.full && asked != a.that ? a.id + " [" + a.metric + "]" : a.id;
    std::string text = named + ": " + asked + ", predicted ";
    text += unsure ? as_counted(a.metric, print_metric({a.value, a.unit, a.ci95})) +
                         goodput_remark(a.goodput)
                   : print_predicted(a);
    if (a.probability) text += ", " + probability_phrase(a);
    if (!a.limited_by.empty() && a.status != "pass") text += ", " + limited_phrase(a);
    if (!a.why.empty() && a.status != "pass") text += " (" + a.why + ")";
    const std::string plain = wrapped("  " + left(label, 8), text, 10);
    out += "  " + ink.by_status(warns || is_unlikely(a) ? "warn" : a.status, label) +
           plain.substr(2 + label.size());
  }
  return out;
}

std::string next_change(const Prediction& p, const Ink& ink) {
  if (p.alternatives.empty()) return "";
  std::string out = "\n" + ink.bold("Next change, each tried alone by simulation") + "\n";
  std::string useless;
  for (const Alternative& a : p.alternatives)
    if (is_useful(a, p))
      out += wrapped("  " + label::of_change(a.change) + ": ", gain_text(a, p), 6);
    else
      useless += (useless.empty() ? "" : "; ") + label::of_change(a.change);
  if (!useless.empty()) out += wrapped("  no gain from: ", useless, 6);
  return out;
}

/// What is assumed, and what to do about it; with draws how many there were.
std::string trust_line(const Prediction& p, const ReportContext& context) {
  if (p.uncertainty) return draws_phrase(p);
  const std::size_t n = context.assumptions.size();
  if (n == 0) return "";
  return count_of(n, "value") + (n == 1 ? " is" : " are") +
         " assumed, not measured: --draws 64 finds those that move the answer, stallcast resolve "
         "--provenance lists all.";
}

/// Which profile it goes by, what is assumed, and what to do about that.
std::string rests_on(const Prediction& p, const ReportContext& context) {
  std::string out;
  for (const std::string& said : {calibrated_phrase(p), trust_line(p, context)})
    if (!said.empty()) out += wrapped("", said, 0);
  if (context.grows)
    out +=
        wrapped("",
                "This is the design as it is now; what \"growth\" of the scenario makes of it, and "
                "when something runs out: stallcast grow.",
                0);
  return out;
}

/// Inputs that move the answer, most first, with what to do about them in a full report.
std::string moving(const Prediction& p, const Style& style, const Ink& ink) {
  constexpr std::size_t kMostInCompact = 3;
  const std::string settle = figure_to_settle(p);
  if (settle.empty()) return "";
  const std::string of = label::of_metric(settle, "", p.breakdown.size() > 1);
  std::string out =
      "\n" + wrapped("",
                     ink.bold(style.full ? "What to measure first" : "What moves the answer") +
                         ", by share of the spread of " + of,
                     2);
  std::size_t shown = 0;
  for (const MeasureRow& row : measure_first(p, settle)) {
    if (!style.full && shown == kMostInCompact) break;
    ++shown;
    const std::string begin = "  " + left(row.share, 6);
    std::string text = label::of_input(row.input) + ": " + row.range;
    if (style.full) {
      text += " [" + row.input + "]; once it is known, " + row.rest + " is left";
      if (!row.with.empty()) text += "; measure with: " + row.with;
    }
    out += wrapped(begin, text, begin.size());
  }
  return out;
}

std::string fine_print(const Prediction& p, const ReportContext& context, const Style& style,
                       const Ink& ink) {
  std::string out;
  if (!p.warnings.empty())
    out += "\n" + ink.bold("Warnings") + "\n" + bullets(p.warnings, kMostWarnings, "more");
  out += moving(p, style, ink);
  if (const std::string said = rests_on(p, context); !said.empty()) out += "\n" + said;
  out += "\n" + wrapped("", run_phrase(p, context, style), 0);
  return out;
}

/// The first screen: verdict, what limits it and would help, targets, where the time goes.
std::string compact(const Prediction& p, const ReportContext& context, const Style& style,
                    const Ink& ink) {
  std::string out = headline(p, ink) + targets(p, style, ink) + time_split(p, ink) + stages(p, ink);
  if (!p.warnings.empty())
    out += "\n" + ink.bold("Warnings") + "\n" + bullets(p.warnings, kFewWarnings, "more (-v)");
  out += moving(p, style, ink) + "\n";
  return out + rests_on(p, context) +
         wrapped("", "All figures, resources and changes: -v. Derivations: stallcast explain.", 0) +
         wrapped("", run_phrase(p, context, style), 0);
}

}  // namespace

std::string prediction_text(const Prediction& prediction, const ReportContext& context,
                            const Style& style) {
  const Ink ink(style.colour);
  if (!style.full) return compact(prediction, context, style, ink);
  return headline(prediction, ink) + targets(prediction, style, ink) + time_split(prediction, ink) +
         stages(prediction, ink) + figures(prediction, context, ink) +
         bottlenecks(prediction, ink) + data_path_lines(prediction, ink) +
         next_change(prediction, ink) + fine_print(prediction, context, style, ink);
}

}  // namespace stallcast::report
