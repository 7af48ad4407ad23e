#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view status_name(PlanStatus status) {
  return status == PlanStatus::found        ? "found"
         : status == PlanStatus::infeasible ? "infeasible"
                                            : "inconclusive";
}

std::string_view status_name(const PlanPoint& point) {
  return point.meets ? "meets" : point.inconclusive ? "unsure" : "misses";
}

/// The points people compare: the answer and its neighbours, or where the search ended.
std::vector<const PlanPoint*> shown(const PlanResult& plan) {
  std::vector<const PlanPoint*> out;
  for (const PlanPoint& point : plan.points)
    if (plan.status != PlanStatus::found || std::abs(point.count - plan.required) <= 1)
      out.push_back(&point);
  return out;
}

/// What limits where more of what is counted no longer helps.
std::string what_remains(const PlanPoint& end, const std::string& noun) {
  if (end.binding.empty()) return "";
  if (end.binding.ends_with(".barrier"))
    return wrapped("  ",
                   "with " + counted(end.count, noun) +
                       " what is left are ranks that wait for the slowest at the step barrier",
                   2);
  const std::string busy = end.binding_utilization > 0.0
                               ? ", " + print_value(end.binding_utilization, "ratio") + " busy"
                               : "";
  return wrapped("  ", "with " + counted(end.count, noun) + ", " + end.binding + " limits" + busy,
                 2);
}

std::string headline(const PlanResult& plan, const Ink& ink) {
  std::string out = ink.bold(plan.scenario_id) + ": ";
  const PlanPoint* end = find_point(plan, plan.infinity);
  switch (plan.status) {
    case PlanStatus::found:
      return out + "needs " + ink.bold(counted(plan.required, plan.noun)) + " (" + plan.owner +
             ")\n";
    case PlanStatus::infeasible:
      out +=
          ink.bad("INFEASIBLE") + "\n" +
          wrapped("  ", "no number of " + plan.noun + " (" + plan.owner + ") meets the targets", 2);
      if (end != nullptr) out += what_remains(*end, plan.noun);
      return out;
    case PlanStatus::inconclusive:
      break;
  }
  return out + ink.doubtful("INCONCLUSIVE") + "\n" +
         wrapped(
             "  ",
             "the search for the fewest " + plan.noun + " (" + plan.owner + ") has no answer yet",
             2);
}

std::string assumed(std::size_t n) {
  return counted(static_cast<std::int64_t>(n), "inputs") + (n == 1 ? " is" : " are") +
         " assumed, not measured: stallcast resolve --provenance";
}

std::string point_lines(const PlanPoint& point, const Ink& ink) {
  const std::string_view status = status_name(point);
  std::string line = "  " + right(std::to_string(point.count), 8) + "  ";
  line += ink.by_status(point.meets          ? "pass"
                        : point.inconclusive ? "unsure"
                                             : "fail",
                        left(status, 7));
  line += right(print_share(point.utilization), 10);
  if (!point.binding.empty())
    line +=
        "  " + left(shortened(point.binding, 32), 32) + " " +
        right(point.binding_utilization > 0.0 ? print_share(point.binding_utilization) : "-", 8);
  line += "\n";
  for (const TargetMargin& t : point.targets)
    line += wrapped("            ",
                    t.id + ": " + print_beside(t.value, t.limit, t.unit) + " against " +
                        print_limit(t.limit, t.unit) + ", margin " + print_margin(t.margin),
                    14);
  return line;
}

}  // namespace

std::string plan_text(const PlanResult& plan, const Context& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = headline(plan, ink);
  out += "\n  " + right("count", 8) + "  " + left("targets", 7) + right("GPU util.", 10) + "  " +
         left("limited by", 32) + right("busy", 9) + "\n";
  for (const PlanPoint* point : shown(plan)) out += point_lines(*point, ink);
  if (!plan.notes.empty()) out += "\n" + ink.bold("Notes") + "\n";
  for (const std::string& note : plan.notes) out += wrapped("  - ", note, 4);
  if (!context.assumptions.empty())
    out += "\n" + wrapped("", assumed(context.assumptions.size()), 0);
  std::string counts;
  for (const PlanPoint& point : plan.points)
    counts += (counts.empty() ? "" : ", ") + std::to_string(point.count);
  out +=
      "\n" +
      wrapped("",
              "searched from the fluid bound " + std::to_string(plan.lower_bound) + ", simulated " +
                  counts + " with " + std::to_string(plan.prediction.seeds.size()) +
                  (plan.prediction.seeds.size() == 1 ? " replica" : " replicas") +
                  " each; stallcast " + context.version + ", models " + context.model_version,
              0);
  return out;
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
                         {"status", t.status}});
    out["points"].push_back({{"count", point.count},
                             {"meets", point.meets},
                             {"utilization", point.utilization},
                             {"binding", point.binding},
                             {"binding_utilization", point.binding_utilization},
                             {"targets", std::move(targets)}});
  }
  out["notes"] = plan.notes;
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
