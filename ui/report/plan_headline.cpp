#include <initializer_list>

#include "engine/base/counted.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// The first lines of a plan: what was asked, and what is to be said of it at once.
namespace stallcast::report {
namespace {

/// "storage scratch", of all that is searched and does not say so.
std::string owners(const PlanResult& plan) {
  std::string out;
  for (const PlanAxis& axis : plan.axes)
    if (!axis.owner.empty() && !says_owner(axis) && out.find(axis.owner) == std::string::npos)
      out += (out.empty() ? "" : ", ") + axis.owner;
  return out;
}

/// What limits where more of what is counted no longer helps; "" when nothing is named.
std::string what_remains(const PlanResult& plan, const PlanPoint& end) {
  if (end.binding.empty()) return "";
  const std::string with =
      "with " + (is_count(plan) ? counted(end.count, plan.noun) : base::counted(plan, end));
  if (end.binding.ends_with(".barrier"))
    return with + " what is left are ranks that wait for the slowest at the step barrier";
  return with + ", " + label::limits(end.binding, end.waited) +
         (end.binding_load > 0.0 ? ", " + print_share(end.binding_load) + " busy when used" : "");
}

/// " (storage scratch)"; nothing of what belongs to no component, as parameters.
std::string of(const std::string& owner) { return owner.empty() ? "" : " (" + owner + ")"; }

/// Which field is counted: " (storage scratch)", " (params.boxes)"; nothing where its name was
/// said.
std::string named(const PlanResult& plan) {
  if (is_count(plan)) return of(plan.owner);
  const PlanAxis& axis = plan.axes[0];
  return base::is_counted(axis, plan.points[*plan.answer].values[0]) ? of(axis.path) : "";
}

/// What all that the scenario prices costs in the design that was found; "" without prices.
std::string bought_for(const Prediction& answer) {
  const auto bought = answer.metrics.find(metric::kCapex);
  const auto hourly = answer.metrics.find(metric::kHourlyCost);
  if (bought != answer.metrics.end())
    return "bought for " + print_value(bought->second.value, "USD") + ", all that has a price";
  if (hourly == answer.metrics.end()) return "";
  return "for " + print_value(hourly->second.value, hourly->second.unit) + ", all that has a price";
}

/// "with 8 OSTs ", of what is of the answer without draws where these were asked for another one;
/// else what is said `alone`.
std::string of_stated(const PlanResult& plan, const std::string& alone = "") {
  return drawn_answer(plan).empty() ? alone : "with " + answer_text(plan) + " ";
}

/// What limits the design that was found, as `run` says it.
std::string left_over(const PlanResult& plan) {
  const std::string limit = limit_phrase(plan.prediction);
  return limit.empty() ? "" : of_stated(plan, "then ") + limit;
}

std::string status_text(PlanStatus status, const Ink& ink) {
  return status == PlanStatus::infeasible ? ink.bad("INFEASIBLE") : ink.doubtful("INCONCLUSIVE");
}

/// What else would meet the targets, and what else can be searched.
std::string elsewhere(const PlanResult& plan) {
  std::vector<std::string> out;
  if (plan.instead)
    out.push_back("they hold with " + base::counted(plan, plan.points[plan.instead->point]) +
                  " and " + label::of_change(plan.instead->change) + ": " +
                  set_option(plan.instead->set));
  if (!plan.further.empty())
    out.push_back("can be searched as well: " + base::join(plan.further, ", "));
  return base::join(out, "; ");
}

/// "searched: OSTs 20 to 26, boxes 1 to 4".
std::string searched(const PlanResult& plan) {
  std::vector<std::string> ranges;
  for (const PlanAxis& axis : plan.axes)
    ranges.push_back(axis.noun + " " + axis.from + (axis.to == axis.from ? "" : " to " + axis.to));
  return ranges.empty() ? "" : "searched: " + base::join(ranges, ", ");
}

/// What draws say of the answer: first where they decide it, else after the reason for it.
std::string sure(const PlanResult& plan) {
  return plan.decided_by_draws() ? confident_text(plan) : "";
}
std::string beside(const PlanResult& plan) {
  return plan.decided_by_draws() || !drawn_answer(plan).empty() ? "" : confident_text(plan);
}

/// The answer: where draws were asked for another one theirs first, then that of the design as it
/// is stated.
std::vector<std::string> answered(const PlanResult& plan, const Ink& ink) {
  const std::string id = ink.bold(plan.scenario_id) + ": ";
  const std::string stated = ink.bold(answer_text(plan)) + (of_several(plan) ? "" : named(plan));
  const std::string drawn = drawn_answer(plan);
  if (drawn.empty()) return {id + needs(plan) + " " + stated};
  const std::string beside = "without draws " + needs(plan) + " " + stated + stated_cases(plan);
  if (plan.confident->answer) return {id + drawn, beside};
  return {id + status_text(plan.confident->status, ink), drawn, beside};
}

/// "least job.train.step.time: 1.2 s"; "" where that is what is searched alone, and was said.
std::string goal_reached(const PlanResult& plan) {
  if (!plan.answer) return "";
  const std::optional<double>& reached = plan.points[*plan.answer].objective;
  const bool said =
      !of_several(plan) && !plan.axes.empty() && plan.axes[0].name == plan.objective.name;
  if (!reached || said || plan.objective.name.empty()) return "";
  return goal_text(plan) + ": " +
         as_counted(plan.objective.name, print_value(*reached, plan.objective.unit));
}

/// What the answer is bought for, unless that is what it has the least of.
std::string priced(const PlanResult& plan) {
  if (metric::parse(plan.objective.name).domain == metric::Domain::cost) return "";
  const std::string price = bought_for(plan.prediction);
  return price.empty() ? "" : of_stated(plan) + price;
}

std::vector<std::string> all_of(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> out;
  for (const std::vector<std::string>& part : parts)
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// What is open at the largest design, and what would tell: "with 64 backends au is undecided after
/// 24 replicas: --replicas 96 halves its interval, ...".
std::string left_open(const PlanResult& plan) {
  if (plan.status != PlanStatus::inconclusive || plan.end >= plan.points.size()) return "";
  const PlanPoint& end = plan.points[plan.end];
  std::vector<std::string> open;
  for (const TargetMargin& t : end.targets)
    if (t.status == "inconclusive" && t.interval && !t.confidence) open.push_back(t.name());
  if (!end.inconclusive || open.empty()) return "";
  return "with " + base::counted(plan, end) + " " + base::join(open, " and ") +
         (open.size() == 1 ? " is" : " are") + " undecided after " +
         counted(end.replicas, "replicas") + ": --replicas " + std::to_string(4 * end.replicas) +
         " halves " + (open.size() == 1 ? "its interval" : "their intervals") +
         ", or take a limit further from what it is";
}

std::vector<std::string> headline_of_several(const PlanResult& plan, const Ink& ink) {
  const std::string id = ink.bold(plan.scenario_id) + ": ";
  const PlanPoint* end =
      plan.points.empty() ? nullptr : &plan.points[plan.nearest ? plan.nearest->point : plan.end];
  if (plan.status == PlanStatus::found && plan.answer) {
    return all_of({answered(plan, ink),
                   {sure(plan), too_early(plan), look_further(plan), reason_text(plan),
                    beside(plan), owners(plan).empty() ? "" : "of " + owners(plan), priced(plan),
                    goal_reached(plan), left_over(plan)}});
  }
  const bool says = end != nullptr && !end->binding.empty();
  return {
      id + status_text(plan.status, ink),
      plan.status == PlanStatus::infeasible
          ? "none of the designs meets the targets" + met_by_saves(plan)
          : "the search for the " + goal_text(plan) + " has no answer yet",
      confident_text(plan),
      left_open(plan),
      searched(plan),
      nearest_text(plan),
      says ? "with " + base::counted(plan, *end) + ", " + label::limits(end->binding, end->waited)
           : "",
      elsewhere(plan)};
}

}  // namespace

std::vector<std::string> plan_headline(const PlanResult& plan, const Ink& ink) {
  if (of_several(plan)) return headline_of_several(plan, ink);
  const std::string id = ink.bold(plan.scenario_id) + ": ";
  const PlanPoint* end = find_point(plan, plan.infinity);
  switch (plan.status) {
    case PlanStatus::found:
      return all_of({answered(plan, ink),
                     {sure(plan), too_early(plan), look_further(plan), reason_text(plan),
                      beside(plan), priced(plan), goal_reached(plan), left_over(plan)}});
    case PlanStatus::infeasible:
      return {id + status_text(plan.status, ink),
              (is_count(plan) ? "no number of " + plan.noun + of(plan.owner)
                              : "no value of " + plan.axes[0].name + " that was searched") +
                  " meets the targets" + met_by_saves(plan),
              confident_text(plan),
              searched(plan),
              nearest_text(plan),
              end != nullptr ? what_remains(plan, *end) : "",
              elsewhere(plan)};
    case PlanStatus::inconclusive:
      break;
  }
  const PlanPoint* last = plan.end < plan.points.size() ? &plan.points[plan.end] : nullptr;
  return {id + status_text(plan.status, ink),
          std::string("the search for the ") + (needs(plan) == "needs" ? "fewest " : "most ") +
              plan.noun + of(plan.owner) + " has no answer yet",
          left_open(plan), last != nullptr ? what_remains(plan, *last) : ""};
}

std::vector<std::string> headline_lines(const PlanResult& plan) {
  std::vector<std::string> out = plan_headline(plan, Ink(false));
  std::erase(out, "");
  return out;
}

}  // namespace stallcast::report
