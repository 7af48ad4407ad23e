#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/stages.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

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
             markdown_cell(price.source) + " |\n";
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
    out += "| " + markdown_cell(a.id) + " | `" + markdown_cell(a.that) + "` | " +
           print_predicted(a) + " | " + a.status + " | " + markdown_cell(a.limited_by) + " |" +
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

/// RFC 4180 quoting of one field.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::pair<std::string, std::string> name_and_stat(const std::string& metric) {
  const std::string_view statistic = metric::parse(metric).statistic;
  if (statistic.empty()) return {metric, "mean"};
  return {metric.substr(0, metric.size() - statistic.size() - 1), std::string(statistic)};
}

std::string csv_number(double value) { return std::isfinite(value) ? base::shortest(value) : ""; }

std::string csv_row(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (out.empty() ? "" : ",") + csv_field(field);
  return out + "\n";
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string prediction_csv(const Prediction& p) {
  std::string out = csv_row({"scenario", "metric", "stat", "value", "unit"});
  const auto row = [&](const std::string& metric, const std::string& stat, double value,
                       const std::string& unit) {
    out += csv_row({p.scenario_id, metric, stat, base::shortest(value), unit});
  };
  for (const auto& [name, metric] : p.metrics) {
    const auto [stem, stat] = name_and_stat(name);
    row(stem, stat, metric.value, metric.unit);
    if (metric.ci95.has_value()) {
      row(stem, stat + ".ci95.low", metric.ci95->first, metric.unit);
      row(stem, stat + ".ci95.high", metric.ci95->second, metric.unit);
    }
    if (metric.median) row(stem, stat + ".median", *metric.median, metric.unit);
    if (metric.ci90) {
      row(stem, stat + ".ci90.low", metric.ci90->first, metric.unit);
      row(stem, stat + ".ci90.high", metric.ci90->second, metric.unit);
    }
  }
  for (const auto& [job, shares] : p.breakdown)
    for (const char* cause : kBreakdownCauses) {
      const auto it = shares.find(cause);
      row("breakdown." + job + "." + cause, "mean", it == shares.end() ? 0.0 : it->second, "ratio");
    }
  for (const Bottleneck& b : p.bottlenecks)
    row("bottleneck." + b.resource + ".blamed_share", "mean", b.blamed_share, "ratio");
  for (const Bottleneck& b : p.bottlenecks)
    if (b.gain) row("bottleneck." + b.resource + ".gain", "mean", b.gain->time, "ratio");
  return out;
}

namespace {

std::string stages_markdown(const Prediction& p) {
  const std::vector<StageLine> rows = stage_lines(p);
  if (rows.empty()) return "";
  std::string out = "\n### Stages\n\n" + stage_limit(p) +
                    "\n\n| stage | when | reads | waits | limited by |\n|---|---|---|---|---|\n";
  for (const StageLine& row : rows)
    out += "| " + markdown_cell(row.id) + " | " + row.dates + " | " + row.rate + " | " +
           row.waited + " | " + markdown_cell(row.limit) + " |\n";
  return out;
}

}  // namespace

std::string prediction_markdown(const Prediction& p, const ReportContext& context) {
  std::string out = "## " + p.scenario_id + ": " +
                    (p.verdict == Verdict::none ? "predicted" : upper(verdict_name(p.verdict))) +
                    "\n";
  if (!p.system.empty()) out += "\n" + markdown_cell(p.system) + "\n";
  for (const std::string& phrase : {limit_phrase(p), advice_phrase(p)})
    if (!phrase.empty()) out += "\n" + markdown_cell(phrase) + "\n";
  out += targets_markdown(p);
  for (const auto& [job, shares] : p.breakdown) {
    out += "\n### Job " + job + "\n\n";
    if (const Metric* m = find(p, metric::gpu_utilization(job)))
      out += "GPU utilization " + print_metric(*m) + "\n\n";
    out += "| where the time goes | share |\n|---|---:|\n";
    const std::vector<int> tenths = tenths_of_percent(shares);
    for (std::size_t i = 0; i < tenths.size(); ++i)
      if (tenths[i] != 0)
        out += std::string("| ") + kBreakdownCauses[i] + " | " + print_tenths(tenths[i]) + " |\n";
  }
  out += stages_markdown(p) + costs_markdown(p, context);
  if (!p.bottlenecks.empty()) {
    const std::string tried = p.gains ? " twice as fast |" : "";
    out += "\n### What limits it\n\n| resource |" + tried + " busy | of the waiting | headroom |\n";
    out += std::string("|---|") + (p.gains ? "---:|" : "") + "---:|---:|---|\n";
    for (const Bottleneck& b : p.bottlenecks) {
      out += "| " + markdown_cell(b.resource) + " | " +
             (p.gains ? worth_phrase(b, p) + " | " : "") + print_value(b.utilization, "ratio") +
             " | " + print_value(b.blamed_share, "ratio") + " | " + markdown_cell(b.headroom) +
             " |\n";
    }
    if (const std::string note = gains_note(p); !note.empty()) out += "\n" + note + "\n";
  }
  if (!p.alternatives.empty()) {
    const bool alone = !time_gained(p).empty();
    const std::string figure = alone ? "less time " + time_gained(p) : "GPU utilization";
    out += "\n### Next change\n\n| change | " + figure + " | meets targets |\n|---|---:|---|\n";
    for (const Alternative& a : p.alternatives)
      out += "| " + markdown_cell(a.change) + " | " +
             print_value(alone ? a.gain : a.utilization, "ratio") + " | " +
             (a.meets_targets ? "yes" : "no") + " |\n";
  }
  if (!p.warnings.empty()) out += "\n### Warnings\n\n";
  for (const std::string& w : p.warnings) out += "- " + w + "\n";
  out += sureness_markdown(p, context) + "\n" + made_by(context) + "\n";
  return out;
}

}  // namespace stallcast::report
