#include "engine/base/counted.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

using html::path;

std::string phrase(const PlanResult& plan) {
  const std::string goal = goal_text(plan);
  if (plan.status == PlanStatus::infeasible)
    return "none of the designs searched meets the targets";
  if (plan.status == PlanStatus::inconclusive)
    return "the search for the " + goal + " has no answer yet";
  const PlanPoint& answer = plan.points[*plan.answer];
  std::string out = "needs " + base::counted(plan, answer);
  if (plan.axes.size() > 1 && answer.objective)
    out += "; " + goal + ": " + print_value(*answer.objective, plan.objective.unit);
  if (const std::string reason = reason_text(plan); !reason.empty()) out += "; " + reason;
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
  columns.insert(columns.end(), {{"limited by"}, {"margins"}});
  std::vector<std::vector<std::string>> rows;
  for (const PlanPoint& point : plan.points) {
    std::vector<std::string> row;
    for (const std::string& value : point.values) row.push_back(markup(value));
    row.push_back(point.meets          ? html::element("span", "meets", "pass")
                  : point.inconclusive ? html::element("span", "unsure", "inconclusive")
                                       : html::element("span", "misses", "fail"));
    if (!alone) row.push_back(print_share(point.utilization));
    row.push_back(html::named(point.binding));
    row.push_back(margins(point));
    rows.push_back(std::move(row));
  }
  return html::table(columns, rows);
}

std::string shadow_prices(const PlanResult& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const PlanPrice& price : plan.prices)
    rows.push_back({markup(price.target), print_limit(price.limit, price.unit),
                    print_beside(price.relaxed, price.limit, price.unit),
                    print_value(price.saved, plan.objective.unit), markup(price.values)});
  return html::table(
      {{"target"}, {"limit", "number"}, {"softer limit", "number"}, {"saves", "number"}, {"with"}},
      rows);
}

std::string tornado(const PlanResult& plan) {
  std::vector<html::GainBar> gains;
  std::vector<std::vector<std::string>> rows;
  for (const PlanSwing& swing : plan.tornado) {
    const std::string ends = print_margin(swing.at_low) + " to " + print_margin(swing.at_high);
    gains.push_back({swing.path, swing.at_low, swing.at_high, ends});
    rows.push_back({path(swing.path), markup(swing.low), markup(swing.base), markup(swing.high),
                    markup(swing.target), print_margin(swing.at_low), print_margin(swing.at_high),
                    markup(swing.low_needs + ", " + swing.high_needs)});
  }
  return html::gain_bars("margin of the tightest target as inputs vary", gains) +
         html::table({{"assumed input"},
                      {"low", "number"},
                      {"as it is", "number"},
                      {"high", "number"},
                      {"target"},
                      {"margin at low", "number"},
                      {"at high", "number"},
                      {"needs then"}},
                     rows);
}

std::string intervals(const PlanResult& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const PlanInterval& i : plan.intervals)
    rows.push_back({markup(i.job), print_value(i.every, "s"), print_value(i.goodput, "ratio"),
                    print_value(i.best, "s"), print_value(i.best_goodput, "ratio"),
                    print_value(i.young, "s"), print_value(i.daly, "s"), with_interval(i)});
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
  const char* verdict = found                                   ? ""
                        : plan.status == PlanStatus::infeasible ? "infeasible"
                                                                : "inconclusive";
  std::string notes;
  for (const std::string& note : plan.notes) notes += html::element("p", note);
  const Prediction& p = plan.prediction;
  const std::string of =
      found ? "With " + base::counted(plan, plan.points[*plan.answer]) : "The largest design tried";
  return html::page("Stallcast plan: " + plan.scenario_id,
                    html::heading(plan.scenario_id, verdict, phrase(plan), "", p.system) +
                        html::section("Designs simulated", candidates(plan)) +
                        html::section("What softer targets save", shadow_prices(plan)) +
                        html::section("What rests on assumed inputs", tornado(plan)) +
                        html::section("Best interval between saves", intervals(plan)) +
                        html::section("Notes", notes) + html::element("h2", of) +
                        html::element("p", limit_phrase(p)) + html::picture_figure(p) +
                        html::prediction_sections(p, context, style) +
                        html::data("result", plan_json(plan, context, style)));
}

}  // namespace stallcast::report
