#include <algorithm>
#include <set>

#include "engine/base/quantity_text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
std::string plan_amounts(const PlanResult& plan, const PlanPoint& point) {
  std::string out;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    out += (a > 0 ? ", " : "") + amount(plan.axes[a], point.values[a]);
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

/// Designs shown where there is no answer, besides the largest.
constexpr std::size_t kMostShown = 4;

std::string_view status_name(PlanStatus status) {
  return status == PlanStatus::found        ? "found"
         : status == PlanStatus::infeasible ? "infeasible"
                                            : "inconclusive";
}

std::string_view status_name(const PlanPoint& point) {
  return point.meets ? "meets" : point.inconclusive ? "unsure" : "misses";
}

/// The points people compare: the answer and what stands beside it, or where the search ended.
std::vector<const PlanPoint*> shown(const PlanResult& plan) {
  std::vector<const PlanPoint*> out;
  if (plan.status == PlanStatus::found && plan.answer) {
    std::set<std::size_t> places{*plan.answer};
    for (const PlanNeighbour& n : plan.neighbours) places.insert(n.point);
    for (const std::size_t i : places) out.push_back(&plan.points[i]);
    return out;
  }
  for (const PlanPoint& point : plan.points)
    if (plan.status == PlanStatus::found ? std::abs(point.count - plan.required) <= 1
                                         : out.size() < kMostShown || &point == &plan.points.back())
      out.push_back(&point);
  return out;
}

bool several(const PlanResult& plan) { return plan.axes.size() > 1; }

/// "storage scratch", of all that is searched.
std::string owners(const PlanResult& plan) {
  std::string out;
  for (const PlanAxis& axis : plan.axes)
    if (!axis.owner.empty() && out.find(axis.owner) == std::string::npos)
      out += (out.empty() ? "" : ", ") + axis.owner;
  return out;
}

/// Of what is searched alone.
bool is_count(const PlanResult& plan) { return plan.axes.empty() || !plan.axes[0].metric.empty(); }

/// What limits where more of what is counted no longer helps.
std::string what_remains(const PlanResult& plan, const PlanPoint& end) {
  if (end.binding.empty()) return "";
  const std::string with = is_count(plan) ? counted(end.count, plan.noun) : plan_amounts(plan, end);
  if (end.binding.ends_with(".barrier"))
    return wrapped(
        "  ",
        "with " + with + " what is left are ranks that wait for the slowest at the step barrier",
        2);
  const std::string busy = end.binding_utilization > 0.0
                               ? ", " + print_value(end.binding_utilization, "ratio") + " busy"
                               : "";
  return wrapped("  ", "with " + with + ", " + end.binding + " limits" + busy, 2);
}

/// " (storage scratch)"; nothing of what belongs to no component, as parameters.
std::string of(const std::string& owner) { return owner.empty() ? "" : " (" + owner + ")"; }

/// What all that the scenario prices costs in the design that was found.
std::string bought_for(const Prediction& answer) {
  const auto cost = answer.metrics.find("cost.capex");
  if (cost == answer.metrics.end()) return "";
  return "  bought for " + print_value(cost->second.value, "USD") + ", all that has a price\n";
}

std::string headline_of_several(const PlanResult& plan, const Ink& ink) {
  std::string out = ink.bold(plan.scenario_id) + ": ";
  const PlanPoint* end = plan.points.empty() ? nullptr : &plan.points[plan.end];
  std::string goal =
      std::string(plan.objective.maximize ? "most " : "least ") + plan.objective.name;
  if (plan.status == PlanStatus::found && plan.answer) {
    const PlanPoint& answer = plan.points[*plan.answer];
    out += "needs " + ink.bold(plan_amounts(plan, answer)) + "\n";
    if (!owners(plan).empty()) out += wrapped("  ", "of " + owners(plan), 2);
    if (plan.objective.name != "cost.capex") out += bought_for(plan.prediction);
    return out +
           wrapped("  ", goal + ": " + print_value(*answer.objective, plan.objective.unit), 2);
  }
  out +=
      plan.status == PlanStatus::infeasible ? ink.bad("INFEASIBLE") : ink.doubtful("INCONCLUSIVE");
  out += "\n" + wrapped("  ",
                        plan.status == PlanStatus::infeasible
                            ? "none of the designs meets the targets"
                            : "the search for the " + goal + " has no answer yet",
                        2);
  if (end != nullptr && !end->binding.empty())
    out += wrapped("  ", "with " + plan_amounts(plan, *end) + ", " + end->binding + " limits", 2);
  return out;
}

std::string headline(const PlanResult& plan, const Ink& ink) {
  if (several(plan)) return headline_of_several(plan, ink);
  std::string out = ink.bold(plan.scenario_id) + ": ";
  const PlanPoint* end = find_point(plan, plan.infinity);
  switch (plan.status) {
    case PlanStatus::found:
      return out + "needs " +
             ink.bold(is_count(plan) ? counted(plan.required, plan.noun)
                                     : plan_amounts(plan, plan.points[*plan.answer])) +
             of(plan.owner) + "\n" + bought_for(plan.prediction);
    case PlanStatus::infeasible:
      out += ink.bad("INFEASIBLE") + "\n" +
             wrapped("  ",
                     (is_count(plan) ? "no number of " + plan.noun
                                     : "no value searched of " + plan.axes[0].name) +
                         of(plan.owner) + " meets the targets",
                     2);
      if (end != nullptr) out += what_remains(plan, *end);
      return out;
    case PlanStatus::inconclusive:
      break;
  }
  return out + ink.doubtful("INCONCLUSIVE") + "\n" +
         wrapped("  ",
                 "the search for the fewest " + plan.noun + of(plan.owner) + " has no answer yet",
                 2);
}

std::string assumed(std::size_t n) {
  return counted(static_cast<std::int64_t>(n), "inputs") + (n == 1 ? " is" : " are") +
         " assumed, not measured: stallcast resolve --provenance";
}

/// What a table says in its first columns, of so many characters.
struct Columns {
  std::vector<std::string> heads;
  std::size_t limiter = 32;
};

Columns columns_of(const PlanResult& plan) {
  if (!several(plan))
    return {{plan.axes.empty() || !plan.axes[0].metric.empty() ? "count" : "value"}};
  Columns out;
  for (const PlanAxis& axis : plan.axes) out.heads.push_back(shortened(axis.noun, 9));
  const std::size_t taken = 10 * (out.heads.size() - 1);
  out.limiter = taken + 12 < out.limiter ? out.limiter - taken : 12;
  return out;
}

std::string point_lines(const PlanPoint& point, const Columns& columns, const Ink& ink) {
  const std::string_view status = status_name(point);
  std::string line = " ";
  if (columns.heads.size() == point.values.size())
    for (std::size_t a = 0; a < point.values.size(); ++a)
      line += (a > 0 ? " " : "") + right(point.values[a], 9);
  else
    line += right(std::to_string(point.count), 9);
  line += "  ";
  line += ink.by_status(point.meets          ? "pass"
                        : point.inconclusive ? "unsure"
                                             : "fail",
                        left(status, 7));
  line += right(print_share(point.utilization), 10);
  if (!point.binding.empty())
    line +=
        "  " + left(shortened(point.binding, columns.limiter), columns.limiter) + " " +
        right(point.binding_utilization > 0.0 ? print_share(point.binding_utilization) : "-", 8);
  line += "\n";
  for (const TargetMargin& t : point.targets)
    line += wrapped("            ",
                    t.id + (t.when.empty() ? "" : ", " + t.when) + ": " +
                        print_beside(t.value, t.limit, t.unit) + " against " +
                        print_limit(t.limit, t.unit) + ", margin " + print_margin(t.margin),
                    14);
  return line;
}

void add_search(const PlanResult& plan, Json& out) {
  out["axes"] = Json::array();
  for (const PlanAxis& axis : plan.axes)
    out["axes"].push_back({{"path", axis.path},
                           {"name", axis.name},
                           {"noun", axis.noun},
                           {"owner", axis.owner},
                           {"metric", axis.metric},
                           {"from", axis.from},
                           {"to", axis.to},
                           {"candidates", axis.candidates},
                           {"ordered", axis.ordered}});
  out["objective"] = {{"name", plan.objective.name},
                      {"unit", plan.objective.unit},
                      {"goal", plan.objective.maximize ? "maximize" : "minimize"}};
  out["answer"] = nullptr;
  if (plan.answer) {
    out["answer"] = Json::object();
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
      out["answer"][plan.axes[a].path] = plan.points[*plan.answer].values[a];
  }
  out["survived"] = plan.survived;
  out["search"] = {{"candidates", plan.candidates}, {"simulated", plan.points.size()},
                   {"proven", plan.proven},         {"invalid", plan.invalid},
                   {"better", plan.cheaper},        {"implied", plan.implied}};
  out["neighbours"] = Json::array();
  for (const PlanNeighbour& n : plan.neighbours)
    out["neighbours"].push_back({{"path", plan.axes[n.axis].path},
                                 {"direction", n.direction},
                                 {"value", plan.points[n.point].values[n.axis]},
                                 {"point", n.point},
                                 {"units", n.units},
                                 {"utilization_per_unit", n.utilization},
                                 {"target_per_unit", n.target}});
  out["prices"] = Json::array();
  for (const PlanPrice& p : plan.prices)
    out["prices"].push_back({{"target", p.target},
                             {"limit", p.limit},
                             {"relaxed", p.relaxed},
                             {"unit", p.unit},
                             {"saved", p.saved},
                             {"values", p.values}});
  out["varied"] = plan.varied;
  out["tornado"] = Json::array();
  for (const PlanSwing& w : plan.tornado)
    out["tornado"].push_back({{"path", w.path},
                              {"base", w.base},
                              {"low", w.low},
                              {"high", w.high},
                              {"target", w.target},
                              {"margin_at_low", w.at_low},
                              {"margin_at_high", w.at_high},
                              {"low_needs", w.low_needs},
                              {"high_needs", w.high_needs}});
  out["intervals"] = Json::array();
  for (const PlanInterval& i : plan.intervals)
    out["intervals"].push_back({{"job", i.job},
                                {"every", i.every},
                                {"best", i.best},
                                {"young", i.young},
                                {"daly", i.daly},
                                {"goodput", i.goodput},
                                {"best_goodput", i.best_goodput},
                                {"meets", i.meets}});
}

std::string how_searched(const PlanResult& plan) {
  const std::size_t replicas = plan.prediction.seeds.size();
  const std::string each =
      " with " + std::to_string(replicas) + (replicas == 1 ? " replica" : " replicas") + " each";
  std::string out;
  if (several(plan)) {
    out = "of " + counted(plan.candidates, "designs") + " " + std::to_string(plan.points.size()) +
          " were simulated" + each;
  } else {
    std::string counts;
    for (const PlanPoint& point : plan.points)
      counts += (counts.empty() ? "" : ", ") +
                (point.values.empty() ? std::to_string(point.count) : point.values.front());
    const bool bounded = plan.axes.empty() || plan.axes[0].bounded;
    out = std::string("searched from ") + (bounded ? "the fluid bound " : "") +
          (is_count(plan) ? std::to_string(plan.lower_bound) : plan.axes[0].from) + ", simulated " +
          counts + each;
  }
  if (plan.proven > 0) out += ", " + std::to_string(plan.proven) + " excluded by bounds";
  if (plan.invalid > 0) out += ", " + std::to_string(plan.invalid) + " no valid design";
  if (plan.implied > 0)
    out += "; " + std::to_string(plan.implied) + " of " + std::to_string(plan.cheaper) +
           (plan.status == PlanStatus::found ? " better ones" : "") +
           " left out, since larger ones miss";
  else if (plan.cheaper > 0 && plan.status == PlanStatus::found)
    out += "; every better one was tried";
  return out;
}

}  // namespace

std::string plan_text(const PlanResult& plan, const Context& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = headline(plan, ink);
  const Columns columns = columns_of(plan);
  out += "\n ";
  for (std::size_t a = 0; a < columns.heads.size(); ++a)
    out += (a > 0 ? " " : "") + right(columns.heads[a], 9);
  out += "  " + left("targets", 7) + right("GPU util.", 10) + "  " +
         left("limited by", columns.limiter) + right("busy", 9) + "\n";
  for (const PlanPoint* point : shown(plan)) out += point_lines(*point, columns, ink);
  out += plan_worth(plan, ink) + plan_prices(plan, ink) + plan_tornado(plan, ink) +
         plan_intervals(plan, ink);
  if (!plan.notes.empty()) out += "\n" + ink.bold("Notes") + "\n";
  for (const std::string& note : plan.notes) out += wrapped("  - ", note, 4);
  if (!context.assumptions.empty())
    out += "\n" + wrapped("", assumed(context.assumptions.size()), 0);
  return out + "\n" +
         wrapped("",
                 how_searched(plan) + "; stallcast " + context.version + ", models " +
                     context.model_version,
                 0);
}

std::string plan_json(const PlanResult& plan, const Context& context, const Style& style) {
  Json out;
  out["status"] = status_name(plan.status);
  out["metric"] = plan.metric;
  out["required"] = plan.status == PlanStatus::found ? Json(plan.required) : Json(nullptr);
  out["lower_bound"] = plan.lower_bound;
  out["non_monotone"] = plan.non_monotone;
  out["points"] = Json::array();
  for (const PlanPoint& point : plan.points) {
    Json targets = Json::array();
    for (const TargetMargin& t : point.targets)
      targets.push_back({{"id", t.id},
                         {"that", t.that},
                         {"value", t.value},
                         {"limit", t.limit},
                         {"unit", t.unit},
                         {"margin", t.margin},
                         {"status", t.status},
                         {"when", t.when}});
    Json values = Json::object();
    for (std::size_t a = 0; a < point.values.size(); ++a)
      values[plan.axes[a].path] = point.values[a];
    out["points"].push_back({{"count", point.count},
                             {"values", std::move(values)},
                             {"objective", point.objective ? Json(*point.objective) : Json()},
                             {"replicas", point.replicas},
                             {"meets", point.meets},
                             {"utilization", point.utilization},
                             {"binding", point.binding},
                             {"binding_utilization", point.binding_utilization},
                             {"targets", std::move(targets)}});
  }
  out["notes"] = plan.notes;
  add_search(plan, out);
  // the result of the design found (or of the largest tried), with the search beside it
  Json result = result_object(plan.prediction, context, style);
  result["plan"] = std::move(out);
  return dump(result);
}

std::string plan_csv(const PlanResult& plan) {
  std::string out = csv_row({"scenario", "metric", "count", "target", "value", "limit", "unit",
                             "margin", "status", "utilization", "binding"});
  for (const PlanPoint& point : plan.points)
    for (const TargetMargin& t : point.targets)
      out += csv_row({plan.scenario_id, plan.metric, std::to_string(point.count), t.id,
                      base::shortest(t.value), base::shortest(t.limit), t.unit,
                      base::shortest(t.margin), t.status, base::shortest(point.utilization),
                      point.binding});
  return out;
}

std::string plan_markdown(const PlanResult& plan) {
  std::string out = "## " + plan.scenario_id + ": ";
  if (plan.status == PlanStatus::found)
    out += counted(plan.required, plan.noun) + " (" + plan.owner + ")\n";
  else
    out += std::string(status_name(plan.status)) + "\n";
  out += "\n| count | targets | GPU utilization | limited by |\n|---:|---|---:|---|\n";
  for (const PlanPoint* point : shown(plan))
    out += "| " + std::to_string(point->count) + " | " + std::string(status_name(*point)) + " | " +
           print_value(point->utilization, "ratio") + " | " + markdown_cell(point->binding) +
           " |\n";
  for (const std::string& note : plan.notes) out += "\n- " + note + "\n";
  return out;
}

}  // namespace stallcast::report
