#include <algorithm>
#include <cmath>

#include "engine/base/assertion.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report::html {
namespace {

constexpr std::size_t kMostOptions = 4;
constexpr std::size_t kMostMoving = 3;
constexpr std::string_view kBoundsAlone =
    "Bounds alone: nothing was simulated, and a run may keep GPUs less busy.";

std::string block(const std::string& title, const std::string& body) {
  return body.empty()
             ? body
             : "<div class=\"block\">" + element("h2", title) + captioned(title, body) + "</div>\n";
}

/// A waterfall for each of few jobs, a bar for each of many.
std::string time(const Prediction& p) {
  if (p.breakdown.size() > kFewJobs) {
    std::vector<NamedParts> bars;
    for (const auto& [job, shares] : p.breakdown)
      bars.push_back({job, cause_parts(shares, cpu_words(p, job))});
    return block("Where the time goes", stacked_bars("where the time of each job goes", bars));
  }
  std::string out;
  for (const auto& [job, shares] : p.breakdown)
    out +=
        block(p.breakdown.size() > 1 ? "Where the time of " + job + " goes" : "Where the time goes",
              waterfall_chart(job, shares, cpu_words(p, job), WaterfallWidth::half));
  return out;
}

/// The figures that text begins with, and what they may turn out to be. Of many jobs their bars
/// have them.
std::string main_figures(const Prediction& p) {
  if (p.breakdown.size() > kFewJobs) return "";
  std::string out;
  for (const SummaryLine& line : summary_lines(p)) {
    if (line.figure == std::string::npos || line.figure == 0) continue;
    const std::size_t end = std::min(line.text.find("; ", line.figure), line.text.size());
    out += "<p class=\"main\">" + markup(line.text.substr(0, line.figure)) +
           element("b", line.text.substr(line.figure, end - line.figure)) +
           markup(line.text.substr(end)) + "</p>\n";
  }
  return out;
}

/// Of tenants alone, what they do.
std::string tenants(const Prediction& p) {
  std::string out;
  for (const std::string& line : tenant_lines(p)) out += element("li", line) + "\n";
  return out.empty() ? out : block("Tenants", "<ul class=\"moving\">" + out + "</ul>\n");
}

/// One design: as it is, or with a change.
struct DesignOption {
  std::string name, path;
  double used = 0.0;  ///< as figure_gained
  std::optional<double> stall, cost;
  std::string targets;  ///< markup: how they stand
};

std::optional<double> stall_of(const Prediction& p) {
  std::optional<double> out;
  for (const auto& [job, shares] : p.breakdown)
    if (const Metric* m = find(p, metric::checkpoint(job, "stall")))
      out = std::max(out.value_or(0.0), m->value);
  return out;
}

/// The targets that are missed, by most first.
std::vector<MissedTarget> missed_of(const Prediction& p) {
  std::vector<MissedTarget> out;
  for (const AssertionOutcome& a : p.assertions) {
    const Result<base::Assertion> asked = base::parse_assertion(a.that);
    if (a.level == "warn" || a.status != "fail" || !asked.ok() || !a.limit) continue;
    const double margin =
        std::isfinite(*a.limit) ? base::margin(*asked, a.value, *a.limit, a.upper) : 0.0;
    out.push_back({a.id, -margin});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MissedTarget& a, const MissedTarget& b) { return a.by > b.by; });
  return out;
}

/// "misses stall by 11 % and 2 more": the one that is missed by most.
std::string missed_mark(const Prediction& p, Verdict verdict, bool nominal,
                        const std::vector<MissedTarget>& missed) {
  if (verdict != Verdict::fail || missed.empty()) return targets_mark(verdict, nominal);
  Alternative most;
  most.missed = {missed.front()};
  const std::size_t more = missed.size() - 1;
  return targets_mark(
      verdict, nominal,
      missed_targets(most, p) + (more > 0 ? " and " + std::to_string(more) + " more" : ""));
}

/// Whether designs are judged by goodput, here and in what is said of changes.
bool by_goodput(const Prediction& p) {
  return figure_gained(p, p.alternatives).value == &Alternative::goodput;
}

/// "GPU utilization", or "goodput", of which changes and other designs are told; of a run that goes
/// on beyond what was simulated with these words.
std::string figure_told(const Prediction& p) {
  return std::string(figure_gained(p, p.alternatives).name) +
         (lasting_note(p).empty() ? "" : " in a long run");
}

std::vector<DesignOption> options_of(const Prediction& p) {
  const auto used = figure_gained(p, p.alternatives).value;
  const double now = used == &Alternative::goodput ? lasting_goodput(p) : lasting_utilization(p);
  std::vector<DesignOption> out{{"as it is", "", now, stall_of(p), std::nullopt,
                                 missed_mark(p, p.verdict, false, missed_of(p))}};
  std::vector<const Alternative*> order;
  for (const Alternative& a : p.alternatives)
    if (is_useful(a, p)) order.push_back(&a);
  std::stable_partition(order.begin(), order.end(),
                        [](const Alternative* a) { return a->verdict == Verdict::pass; });
  for (const Alternative* a : order) {
    if (out.size() > kMostOptions) break;
    out.push_back({label::of_change(a->change), a->change, a->*used, a->stall, a->cost,
                   missed_mark(p, a->verdict, tried_nominally(p), a->missed)});
  }
  return out;
}

std::string cost_text(const std::optional<double>& cost) {
  if (!cost) return "";
  if (std::abs(*cost) < 1.0) return "none";
  return (*cost > 0.0 ? "+" : "") + print_value(*cost, "USD");
}

/// The design as it is and changes that help, beside each other.
std::string options(const Prediction& p) {
  if (p.breakdown.empty() || !time_gained(p).empty()) return "";
  const std::vector<DesignOption> all = options_of(p);
  const bool nominal = tried_nominally(p);
  const auto some = [&](auto member) {
    return std::any_of(all.begin(), all.end(),
                       [&](const DesignOption& o) { return (o.*member).has_value(); });
  };
  const bool stalls = some(&DesignOption::stall), costs = some(&DesignOption::cost),
             asked = p.verdict != Verdict::none;
  std::vector<Column> columns{{"design"}, {by_goodput(p) ? "goodput" : "GPUs", "number"}};
  if (stalls) columns.push_back({"stall per save", "number"});
  if (costs) columns.push_back({"cost", "number"});
  if (asked) columns.push_back({"targets"});
  std::vector<std::vector<std::string>> rows;
  for (const DesignOption& o : all) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(o.path.empty() ? markup(o.name) : titled(o.name, o.path));
    row.push_back(print_share(o.used));
    if (stalls) row.push_back(o.stall ? print_value(*o.stall, "s") : "");
    if (costs) row.push_back(cost_text(o.cost));
    if (asked) row.push_back(o.targets);
  }
  if (rows.size() < 2) return "";
  return block("Options",
               table(columns, rows) +
                   element("p",
                           std::string("Each change alone, simulated") +
                               (nominal ? ", without draws: " : ": ") + figure_told(p) + ".",
                           "soft"));
}

/// GPU utilization, or goodput, and cost over how many there are of what is bought by number.
std::string counts(const Prediction& p) {
  if (p.counts.points.size() < 3 || p.breakdown.empty()) return "";
  Plot plot;
  const bool one = p.breakdown.size() == 1, kept = by_goodput(p);
  const std::string noun = label::of_count(p.counts.name);
  const std::string figure = figure_told(p);
  plot.x = {"number of " + noun, "count"};
  plot.y = {figure, "ratio"};
  plot.joined = plot.half = true;
  for (const CountedDesign& c : p.counts.points) {
    const bool judged = p.verdict != Verdict::none, meets = c.verdict == Verdict::pass;
    const std::string n = print_value(c.count, "count");
    const double used = kept ? c.goodput : c.utilization;
    Dot dot{c.count, used, !judged ? "bar" : meets ? "good" : "bad", !judged || meets};
    dot.title = n + " " + noun + ": " + print_share(used);
    dot.chosen = c.count == p.counts.now;
    if (dot.chosen) plot.chosen = "now " + n + ": " + print_share(used);
    if (c.cost) plot.bars.push_back({c.count, *c.cost, print_value(*c.cost, "USD"), dot.chosen});
    plot.dots.push_back(std::move(dot));
  }
  plot.bars_name = "cost of all that has a price";
  std::string caption;
  bool banded = false;
  if (one) {
    const std::string& job = p.breakdown.begin()->first;
    const std::string metric =
        lasting_name(p, job, kept ? metric::kGoodput : metric::kGpuUtilization);
    plot.targets = limits_on(p, metric);
    if (const Metric* m = find(p, metric); m != nullptr && m->ci90) {
      banded = true;
      for (Dot& dot : plot.dots) {
        const auto [low, high] = dot.chosen ? *m->ci90 : outcomes_like(*m, dot.y);
        dot.outcomes = {low, dot.y, high};
      }
    }
  }
  if (p.verdict != Verdict::none) caption = "Filled: " + meets_phrase(p) + "; hollow: misses one.";
  if (banded)
    caption += " Band: 90 % of outcomes; drawn for the design as it is, as wide for the others.";
  return block("How many " + noun,
               "<figure data-name=\"counts\">" + scatter(figure + " over " + noun, plot) +
                   (caption.empty() ? caption : element("figcaption", caption, "soft")) +
                   "</figure>\n");
}

/// What could change the answer: inputs that are not known, most first.
std::string moving(const Prediction& p, const ReportContext& context) {
  std::string out;
  std::size_t n = 0;
  const std::string settle = figure_to_settle(p);
  for (const MeasureRow& row : measure_first(p, settle)) {
    if (n++ == kMostMoving) break;
    out += "<li>" + titled(label::of_input(row.input), row.input) + ", " + markup(row.range) +
           ": " + element("b", row.share, "ends") + " of the spread of " +
           markup(label::of_metric(settle, "")) +
           (row.with.empty() ? "" : markup("; measure with: " + row.with)) + "</li>\n";
  }
  for (const InputSwing& swing : p.swings) {
    const Metric* m = find(p, swing.metric);
    const std::string unit = m == nullptr ? "" : m->unit;
    const std::string low = as_counted(swing.metric, print_end(swing.at_low, unit)),
                      high = as_counted(swing.metric, print_end(swing.at_high, unit));
    if (n >= kMostMoving || low == high) continue;
    ++n;
    out += "<li>" + titled(label::of_input(swing.input.path), swing.input.path) + ", " +
           markup(input_range(swing.input)) + ": " + markup(label::of_metric(swing.metric, unit)) +
           " then " + element("b", low + " to " + high, "ends") + "</li>\n";
  }
  constexpr const char* kTitle = "What could change the answer";
  if (n > 0) return block(kTitle, "<ul class=\"moving\">" + out + "</ul>\n");
  if (p.uncertainty) return block(kTitle, element("p", draws_phrase(p), "soft"));
  if (context.assumptions.empty()) return "";
  const std::string assumed = count_of(context.assumptions.size(), "input");
  return block(
      kTitle,
      element("p",
              p.varied > 0 ? "Little: no assumed input moves it by a thousandth."
                           : assumed + " " + (context.assumptions.size() == 1 ? "is" : "are") +
                                 " assumed, and none was varied: --draws\u00a064 tells "
                                 "which matter.",
              "soft"));
}

}  // namespace

std::string first_page(const Prediction& p, const ReportContext& context) {
  const std::string verdict =
      p.verdict == Verdict::none ? "" : std::string(verdict_name(p.verdict));
  const std::string advice = advice_phrase(p);
  const std::string limit = limit_phrase(p);
  return heading(p.scenario_id, verdict, verdict_phrase(p), "", p.system, is_unlikely(p)) +
         main_figures(p) + (limit.empty() ? limit : element("p", limit, "limit") + "\n") +
         (is_estimate(p) ? element("p", kBoundsAlone, "warn") : std::string()) +
         (advice.empty() ? advice : element("p", advice, "advice")) + picture_figure(p) +
         "<div class=\"first\"><div>\n" + block("Targets", target_gauges(p)) + time(p) +
         tenants(p) + "</div><div>\n" + counts(p) + options(p) + moving(p, context) +
         "</div></div>\n";
}

std::string slide(const Prediction& p, const ReportContext& context, const Style& style) {
  return "<style>@page{size:1280px 720px;margin:0}</style>\n<main class=\"slide\">\n" +
         first_page(p, context) + element("p", run_phrase(p, context, style), "soft made") +
         "</main>\n";
}

}  // namespace stallcast::report::html
