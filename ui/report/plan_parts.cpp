#include "ui/report/plan_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "ui/report/report.hpp"

namespace stallcast::report {
namespace {

/// The tightest target of the answer.
const TargetMargin* binding_target(const PlanResult& plan) {
  if (!plan.answer) return nullptr;
  const auto& targets = plan.points[*plan.answer].targets;
  const auto least =
      std::min_element(targets.begin(), targets.end(),
                       [](const auto& a, const auto& b) { return a.margin < b.margin; });
  return least == targets.end() ? nullptr : &*least;
}

std::string name_of(const TargetMargin& target) {
  return target.id + (target.when.empty() ? "" : " with " + target.when);
}

/// "1 OST", "40,000 USD".
std::string saving(const PlanResult& plan, double saved) {
  for (const PlanAxis& axis : plan.axes)
    if (axis.name == plan.objective.name && !axis.metric.empty())
      return counted(static_cast<std::int64_t>(std::llround(saved)), axis.noun);
  return print_value(saved, plan.objective.unit) + " of " + plan.objective.name;
}

/// "+0.12" percentage points.
std::string points(double share) {
  if (std::abs(share) < 0.5e-4) return "+0.00";
  return (share >= 0.0 ? "+" : "-") + fixed(std::abs(100.0 * share), 2);
}

std::string step(const PlanAxis& axis, double units) {
  const auto n = static_cast<std::int64_t>(std::llround(units));
  return axis.metric.empty() ? axis.name : counted(std::max<std::int64_t>(1, n), axis.noun);
}

}  // namespace

std::string amount(const PlanAxis& axis, const std::string& value) {
  if (axis.metric.empty()) return axis.name + " " + value;
  return counted(std::strtoll(value.c_str(), nullptr, 10), axis.noun);
}

std::string plan_worth(const PlanResult& plan, const Ink& ink) {
  const TargetMargin* target = binding_target(plan);
  std::string out;
  for (const PlanNeighbour& n : plan.neighbours) {
    if (n.direction < 0 || !(n.units > 0.0) || !plan.axes[n.axis].ordered) continue;
    const PlanAxis& axis = plan.axes[n.axis];
    std::string line = "GPU utilization " + points(n.utilization * n.units) + " points";
    if (target != nullptr && n.target != 0.0)
      line += ", " + name_of(*target) + " " +
              (target->unit == "ratio" ? fixed(100.0 * std::abs(n.target * n.units), 2) + " points"
                                       : print_value(std::abs(n.target) * n.units, target->unit)) +
              (n.target > 0.0 ? " better" : " worse");
    out += wrapped("  " + left(step(axis, n.units), 12) + "  ", line, 16);
  }
  return out.empty() ? "" : "\n" + ink.bold("More of it, from the answer on") + "\n" + out;
}

std::string plan_prices(const PlanResult& plan, const Ink& ink) {
  // All targets a design misses have to give way together.
  std::map<std::string, std::pair<double, std::string>> designs;
  for (const PlanPrice& p : plan.prices) {
    auto& [saved, needed] = designs[p.values];
    saved = p.saved;
    needed += (needed.empty() ? "" : " and ") + p.target + " at " +
              print_beside(p.relaxed, p.limit, p.unit) + " instead of " +
              print_limit(p.limit, p.unit);
  }
  std::string out;
  for (const auto& [values, price] : designs)
    out += wrapped(
        "  ", values + " would do with " + price.second + ": saves " + saving(plan, price.first),
        4);
  return out.empty() ? "" : "\n" + ink.bold("Softer targets") + "\n" + out;
}

std::string plan_tornado(const PlanResult& plan, const Ink& ink) {
  if (plan.varied == 0) return "";
  const TargetMargin* target = binding_target(plan);
  std::string out = "\n" + ink.bold("Assumed inputs, varied one at a time") + "\n";
  if (plan.tornado.empty())
    return out + "  none of " + std::to_string(plan.varied) + " moves the margin of a target\n";
  out += "  " + left("input", 42) +
         left("margin of " + shortened(target == nullptr ? "" : target->id, 10), 20) + "  needs\n";
  for (const PlanSwing& s : plan.tornado) {
    out += "  " + left(shortened(s.path, 41), 42) +
           left(print_margin(s.at_low) + " .. " + print_margin(s.at_high), 20) + "  " +
           s.low_needs + (s.low_needs == s.high_needs ? "" : " .. " + s.high_needs) + "\n";
    out += "    " + s.low + " .. " + s.high + "\n";
  }
  return out;
}

std::string plan_intervals(const PlanResult& plan, const Ink& ink) {
  std::string out;
  for (const PlanInterval& i : plan.intervals) {
    out += wrapped("  ",
                   "job " + i.job + ": every " + print_value(i.best, "s") + " (Young " +
                       print_value(i.young, "s") + ", Daly " + print_value(i.daly, "s") +
                       "), now every " + print_value(i.every, "s"),
                   4);
    out += wrapped("    ",
                   "goodput " + print_value(i.goodput, "ratio") + " -> " +
                       print_value(i.best_goodput, "ratio") + "; with it the targets " +
                       (i.meets ? "hold" : "are missed"),
                   4);
  }
  return out.empty() ? "" : "\n" + ink.bold("How often to save") + "\n" + out;
}

}  // namespace stallcast::report
