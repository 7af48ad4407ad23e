#include <algorithm>
#include <map>

#include "engine/base/counted.hpp"
#include "engine/base/text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

std::string phrase(const PlanResult& plan) {
  const std::string goal = goal_text(plan);
  if (plan.status == PlanStatus::infeasible)
    return "none of the designs searched meets the targets" + met_by_saves(plan) +
           (plan.nearest ? "; " + nearest_text(plan) : "");
  if (plan.status == PlanStatus::inconclusive)
    return "the search for the " + goal + " has no answer yet";
  const PlanPoint& answer = plan.points[*plan.answer];
  std::string out = needs(plan) + " " + answer_text(plan);
  if (const std::string further = look_further(plan); !further.empty()) out += "; " + further;
  if (of_several(plan) && answer.objective)
    out += "; " + goal + ": " +
           as_counted(plan.objective.name, print_value(*answer.objective, plan.objective.unit));
  if (const std::string reason = reason_text(plan); !reason.empty()) out += "; " + reason;
  return out;
}

/// The same, with the resource by its name for people.
std::string said_phrase(const PlanResult& plan) {
  std::string out = phrase(plan);
  if (!plan.reason || plan.reason->resource.empty()) return out;
  const std::string in = "(" + plan.reason->resource + ")";
  if (const std::size_t at = out.find(in); at != std::string::npos)
    out.replace(at, in.size(), "(" + label::of_resource(plan.reason->resource) + ")");
  return out;
}

/// What draws say of it, where that is the same answer.
std::string also_drawn(const PlanResult& plan) {
  const std::string said = confident_text(plan);
  return said.empty() || !drawn_answer(plan).empty() ? "" : "; " + said;
}

/// Verdict and answer: where draws were asked for another one theirs first, then that of the
/// design as it is stated.
std::string answer_heading(const PlanResult& plan) {
  const auto word = [](PlanStatus status) {
    return status == PlanStatus::found        ? ""
           : status == PlanStatus::infeasible ? "infeasible"
                                              : "inconclusive";
  };
  const Prediction& p = plan.prediction;
  const std::string drawn = drawn_answer(plan);
  if (drawn.empty())
    return html::heading(
        plan.scenario_id,
        plan.status == PlanStatus::found && !plan.answer ? "inconclusive" : word(plan.status),
        said_phrase(plan) + also_drawn(plan), "", p.system);
  std::string stated = said_phrase(plan);
  const std::string answer = needs(plan) + " " + answer_text(plan);
  if (stated.starts_with(answer)) stated.insert(answer.size(), stated_cases(plan));
  return html::heading(plan.scenario_id, word(plan.confident->status), drawn,
                       "without draws " + stated, p.system);
}

std::string lines_of_draws(const PlanResult& plan) {
  std::string out;
  for (const std::string& line : drawn_part(plan).lines) out += html::element("p", line) + "\n";
  return out;
}

std::string margins(const PlanPoint& point) {
  std::string out;
  for (const TargetMargin& t : point.targets) out += html::element("div", margin_text(t), t.status);
  return out;
}

std::string candidates(const PlanResult& plan) {
  std::vector<html::Column> columns;
  for (const PlanAxis& axis : plan.axes) columns.push_back({axis.noun, "number"});
  const bool alone = without_jobs(plan.prediction);
  columns.push_back({"targets"});
  if (!alone) columns.push_back({"GPU utilization", "number"});
  const bool priced = std::any_of(plan.points.begin(), plan.points.end(),
                                  [](const PlanPoint& point) { return point.cost.has_value(); });
  if (priced) columns.push_back({"cost", "number"});
  columns.insert(columns.end(), {{"limited by"}, {"margins"}});
  std::vector<std::vector<std::string>> rows;
  for (const PlanPoint& point : plan.points) {
    std::vector<std::string> row;
    for (const std::string& value : point.values) row.push_back(markup(value));
    row.push_back(point.meets          ? html::element("span", "meets", "pass")
                  : point.inconclusive ? html::element("span", "unsure", "inconclusive")
                                       : html::element("span", "misses", "fail"));
    if (!alone) row.push_back(print_share(point.utilization));
    if (priced) row.push_back(point.cost ? print_value(*point.cost, "USD") : "");
    row.push_back(html::named(point.binding) + (point.waited ? " (waited for most)" : ""));
    row.push_back(margins(point));
    rows.push_back(std::move(row));
  }
  return html::table(columns, rows);
}

/// GPU utilization and cost over what was searched first, a line for each value of the rest.
std::string plan_chart(const PlanResult& plan) {
  if (without_jobs(plan.prediction) || plan.axes.empty() || plan.points.size() < 2) return "";
  const std::string& noun = plan.axes.front().noun;
  html::Plot plot;
  plot.x = {"number of " + noun, "count"};
  plot.y = {mean_utilization_name(plan.prediction), "ratio"};
  plot.joined = true;
  std::map<std::vector<std::string>, std::size_t> curves;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const PlanPoint& point = plan.points[i];
    if (point.count <= 0) return "";  // what is searched is no number
    const auto count = static_cast<double>(point.count);
    std::vector<std::string> others(point.values.begin() + 1, point.values.end());
    const std::size_t curve = curves.try_emplace(others, curves.size()).first->second;
    if (curve == plot.curves.size() && !others.empty())
      plot.curves.push_back(plan.axes[1].noun + " " + base::join(others, ", "));
    html::Dot dot{count, point.utilization,
                  point.meets          ? "good"
                  : point.inconclusive ? "unsure"
                                       : "bad",
                  point.meets};
    dot.title = base::counted(plan, point) + ": " + print_share(point.utilization);
    dot.curve = curve;
    dot.chosen = plan.answer == i;
    if (point.interval)
      dot.outcomes = {point.interval->first, point.utilization, point.interval->second};
    if (dot.chosen)
      plot.chosen = base::counted(plan, point) + ": " + print_share(point.utilization);
    if (point.cost && plan.axes.size() == 1)
      plot.bars.push_back({count, *point.cost, print_value(*point.cost, "USD"), dot.chosen});
    plot.dots.push_back(std::move(dot));
  }
  if (plot.curves.size() > html::kMostCurves) plot.curves.clear();
  plot.bars_name = "cost of all that has a price";
  if (plan.prediction.breakdown.size() == 1)
    plot.targets = html::limits_on(
        plan.prediction, metric::gpu_utilization(plan.prediction.breakdown.begin()->first));
  const bool banded = std::any_of(plot.dots.begin(), plot.dots.end(),
                                  [](const html::Dot& dot) { return dot.outcomes.has_value(); });
  return "<figure data-name=\"plan\">" + html::scatter("GPU utilization over " + noun, plot) +
         html::element(
             "figcaption",
             "Filled: meets all targets; hollow: misses one or is too close to call." +
                 std::string(banded ? " Band: 95 % interval of the mean of replicas." : "") +
                 (!plan.answer                 ? ""
                  : drawn_answer(plan).empty() ? " The circle is the answer."
                                               : " The circle is the answer without draws."),
             "soft") +
         "</figure>\n";
}

std::string shadow_prices(const PlanResult& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const PlanPrice& price : plan.prices)
    rows.push_back({markup(price.target),
                    as_counted(price.metric, print_limit(price.limit, price.unit)),
                    as_counted(price.metric, print_beside(price.relaxed, price.limit, price.unit)),
                    print_value(price.saved, plan.objective.unit), markup(price.values)});
  return html::table({{"target"},
                      {"limit", "number"},
                      {"softer limit", "number"},
                      {saves(plan), "number"},
                      {"with"}},
                     rows);
}

std::string tornado_chart(const PlanResult& plan) {
  std::vector<html::GainBar> gains;
  std::vector<std::vector<std::string>> rows;
  for (const PlanSwing& swing : plan.tornado) {
    const std::string ends =
        swing_margin(plan, swing, swing.at_low) + " to " + swing_margin(plan, swing, swing.at_high);
    gains.push_back({label::of_input(swing.path), swing.at_low, swing.at_high, ends});
    rows.push_back({html::titled(label::of_input(swing.path), swing.path), markup(swing.low),
                    markup(swing.base), markup(swing.high), markup(swing.target),
                    swing_margin(plan, swing, swing.at_low),
                    swing_margin(plan, swing, swing.at_high),
                    markup(swing.low_needs + ", " + swing.high_needs)});
  }
  if (rows.empty()) return "";
  return html::element("p",
                       "Margin of the tightest target, each input alone at both of its ends; "
                       "the upright is where the target is just met.",
                       "soft") +
         html::gain_bars("margin of the tightest target as inputs vary", gains) +
         html::table({{"assumed input"},
                      {"low", "number"},
                      {"as it is", "number"},
                      {"high", "number"},
                      {"target"},
                      {"margin at low", "number"},
                      {"at high", "number"},
                      {needs(plan) + " then"}},
                     rows);
}

std::string interval_table(const PlanResult& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const PlanInterval& i : plan.intervals)
    rows.push_back({markup(i.job), print_value(i.every, "s"), print_value(i.goodput, "ratio"),
                    print_value(i.best, "s"), print_value(i.best_goodput, "ratio"),
                    print_value(i.young, "s"), print_value(i.daly, "s"), with_interval(plan, i)});
  return html::table({{"job"},
                      {"saves every", "number"},
                      {"goodput", "number"},
                      {"best interval", "number"},
                      {"goodput with it", "number"},
                      {"Young", "number"},
                      {"Daly", "number"},
                      {"with the best"}},
                     rows);
}

}  // namespace

std::string plan_html(const PlanResult& plan, const ReportContext& context, const Style& style) {
  const bool found = plan.status == PlanStatus::found && plan.answer.has_value();
  std::string notes;
  for (const std::string& note : plan.notes) notes += html::element("p", note);
  const Prediction& p = plan.prediction;
  const std::string of =
      found ? "With " + base::counted(plan, plan.points[*plan.answer]) : "The largest design tried";
  return html::page(
      "Stallcast plan: " + plan.scenario_id,
      answer_heading(plan) +
          (found ? "" : html::element("p", "Drawn is the largest design that was tried:", "soft")) +
          html::picture_figure(p) + html::section("How many", plan_chart(plan)) +
          html::section(drawn_part(plan).title, lines_of_draws(plan)) +
          html::section("Designs simulated", candidates(plan)) +
          html::section(
              "What softer targets " + std::string(plan.objective.maximize ? "gain" : "save"),
              shadow_prices(plan)) +
          html::section("What rests on assumed inputs", tornado_chart(plan)) +
          html::section("Best interval between saves", interval_table(plan)) +
          html::section("Notes", notes) + html::element("h2", of) +
          html::element("p", limit_phrase(p)) + html::prediction_sections(p, context, style) +
          html::data("result", plan_json(plan, context, style)));
}

}  // namespace stallcast::report
