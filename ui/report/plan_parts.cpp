#include "ui/report/plan_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/assertion.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/report.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report {
namespace {

/// A limit next to its figure: "2 d 12 h", and "60 h" next to "60.02 h".
std::string limit_beside(double value, double limit, const std::string& unit) {
  const auto parts = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ' ');
  };
  std::string text = print_limit(limit, unit);
  const bool one = parts(print_beside(value, limit, unit)) == 1 && parts(text) > 1;
  const double seconds = metric::to_base(limit, unit);
  const bool near = one && std::abs(metric::to_base(value, unit) - seconds) < 0.02 * seconds;
  return near ? base::exact_quantity(seconds, Dimension::time) : text;
}

/// How much larger a range is suggested where the answer is at its end.
constexpr double kFurther = 8.0;

/// "1 OST", "40 kUSD".
std::string saving(const PlanResult& plan, double saved) {
  for (const PlanAxis& axis : plan.axes)
    if (const std::string n = std::to_string(std::llround(saved));
        axis.name == plan.objective.name && base::is_counted(axis, n))
      return base::counted(axis, n);
  return as_counted(plan.objective.name, print_value(saved, plan.objective.unit)) + " of " +
         plan.objective.name;
}

std::string step(const PlanAxis& axis, double units) {
  const auto n = static_cast<std::int64_t>(std::llround(units));
  const std::string more = std::to_string(std::max<std::int64_t>(1, n));
  if (base::is_counted(axis, more)) return base::counted(axis, more);
  // Of a parameter it is not known what it counts, only that it is a number.
  const bool number = axis.path.starts_with("params.") && axis.from.find(' ') == axis.from.npos &&
                      static_cast<double>(n) == units;
  return number ? more + " " + axis.name : axis.name;
}

/// What would do in the months before.
PlanPart grown(const PlanResult& plan) {
  PlanPart out{"As it grows", {}};
  for (const PlanStage& stage : plan.stages) {
    const std::string when = in_month(stage.month);
    out.lines.push_back(
        when + ": " +
        (stage.amounts.empty() ? std::string(status_name(stage.status)) : stage.amounts) +
        (stage.by.empty() ? "" : ", by " + stage.by) +
        (stage.enough ? "" : "; not with " + answer_text(plan)));
  }
  return out;
}

PlanPart worth(const PlanResult& plan) {
  const TargetMargin* target = deciding_target(plan);
  const bool alone = without_jobs(plan.prediction);
  PlanPart out{"What one more than the answer would gain", {}};
  for (const PlanNeighbour& n : plan.neighbours) {
    const PlanAxis& axis = plan.axes[n.axis];
    const bool more = axis.falls ? n.direction < 0 : n.direction > 0;
    if (!more || !(n.units > 0.0) || !axis.ordered) continue;
    std::string line = step(axis, n.units) + " more: ";
    if (!alone) line += "GPU utilization " + signed_points(n.utilization * n.units, 2);
    if (alone && (target == nullptr || n.target == 0.0)) line += "no target changes";
    if (target != nullptr && n.target != 0.0)
      line += (alone ? "" : ", ") + target->name() + " " +
              (target->unit == "ratio" ? points(std::abs(n.target * n.units), 2)
                                       : print_value(std::abs(n.target) * n.units, target->unit)) +
              (n.target > 0.0 ? " better" : " worse");
    const PlanPoint& point = plan.points[n.point];
    if (!point.meets)
      line += "; " + std::string(point.inconclusive ? "may miss " : "misses ") +
              base::join(point.missed(), " and ");
    out.lines.push_back(std::move(line));
  }
  return out;
}

PlanPart prices(const PlanResult& plan) {
  // All targets a design misses have to give way together.
  std::map<std::string, std::pair<double, std::string>> designs;
  for (const PlanPrice& p : plan.prices) {
    auto& [saved, needed] = designs[p.values];
    saved = p.saved;
    needed += (needed.empty() ? "" : " and ") + p.target + " at " +
              as_counted(p.metric, print_beside(p.relaxed, p.limit, p.unit) + " instead of " +
                                       limit_beside(p.relaxed, p.limit, p.unit));
  }
  PlanPart out{"Softer targets", {}};
  for (const auto& [values, price] : designs)
    out.lines.push_back(values + " would do with " + price.second + ": " + saves(plan) + " " +
                        saving(plan, price.first));
  return out;
}

PlanPart tornado(const PlanResult& plan) {
  PlanPart out{"Assumed inputs, varied one at a time", {}};
  if (plan.varied <= 0) return out;
  if (plan.decided_by_draws()) out.title += ", at the nominal answer";
  if (plan.tornado.empty()) {
    out.lines = {"none of " + std::to_string(plan.varied) + " moves the margin of a target"};
    return out;
  }
  const std::string verb = needs(plan);
  const std::string margin = "margin of " + shortened(plan.tornado.front().target, 10);
  // Behind the names: margins, and what the ends need.
  constexpr std::size_t kBehind = 46, kLeast = 16, kMost = 42;
  const std::size_t page = page_columns();
  const std::size_t name = std::clamp(page - std::min(page, kBehind), kLeast, kMost);
  out.table = "  " + left("input", name) + left(margin, 28) + "  " + verb + "\n";
  for (const PlanSwing& s : plan.tornado) {
    const std::string range = s.low + " .. " + s.high;
    const std::string margins =
        swing_margin(plan, s, s.at_low) + " .. " + swing_margin(plan, s, s.at_high);
    const std::string amount =
        s.low_needs + (s.low_needs == s.high_needs ? "" : " .. " + s.high_needs);
    out.table += "  " + left(shortened(label::of_input(s.path), name - 1), name) +
                 left(margins, 28) + "  " + amount + "\n    " + range + "  " + s.path + "\n";
    out.lines.push_back(s.path + " " + range + ": " + margin + " " + margins + ", " + verb + " " +
                        amount);
  }
  return out;
}

PlanPart intervals(const PlanResult& plan) {
  PlanPart out{"How often to save", {}};
  if (!plan.answer && !plan.intervals.empty())
    out.title += ", with " + base::counted(plan, plan.points[plan.intervals.front().point]);
  for (const PlanInterval& i : plan.intervals)
    out.lines.push_back("job " + i.job + ": every " + print_value(i.best, "s") + " (Young " +
                        print_value(i.young, "s") + ", Daly " + print_value(i.daly, "s") +
                        "), now every " + print_value(i.every, "s") + "; goodput " +
                        print_value(i.goodput, "ratio") + " -> " +
                        print_value(i.best_goodput, "ratio") +
                        (i.best_goodput < i.goodput ? ", so keep the present one; " : ", ") +
                        with_interval(plan, i));
  return out;
}

/// What the simulation of the answer, or of the nearest design, warned of, once each.
std::vector<std::string> warnings_of(const PlanResult& plan) {
  std::vector<std::string> out;
  for (const std::string& warning : plan.prediction.warnings)
    if (std::find(out.begin(), out.end(), warning) == out.end()) out.push_back(warning);
  return out;
}

}  // namespace

bool of_several(const PlanResult& plan) { return plan.axes.size() > 1; }
bool is_count(const PlanResult& plan) { return plan.axes.empty() || !plan.axes[0].metric.empty(); }
bool says_owner(const PlanAxis& axis) { return axis.noun.find(" of ") != std::string::npos; }

std::string_view status_name(PlanStatus status) {
  return status == PlanStatus::found        ? "found"
         : status == PlanStatus::infeasible ? "infeasible"
                                            : "inconclusive";
}

std::string_view status_name(const PlanPoint& point) {
  return point.meets ? "meets" : point.inconclusive ? "unsure" : "misses";
}

std::string needs(const PlanResult& plan) {
  if (!plan.objective.maximize || plan.axes.empty()) return "needs";
  const PlanAxis& first = plan.axes.front();
  return first.falls || first.name == plan.objective.name ? "supports" : "needs";
}

std::string saves(const PlanResult& plan) { return plan.objective.maximize ? "gains" : "saves"; }

std::string answer_text(const PlanResult& plan) {
  if (plan.axes.empty()) return base::counted(plan.required, plan.noun);
  return (is_at_least(plan) ? "at least " : "") + base::counted(plan, plan.points[*plan.answer]);
}

std::string too_early(const PlanResult& plan) {
  std::string before, months;
  for (const PlanStage& stage : plan.stages) {
    if (stage.enough) continue;
    if (stage.month == 0)
      before = "now";
    else
      months += (months.empty() ? "in month " : ", ") + std::to_string(stage.month);
  }
  if (!before.empty() && !months.empty()) before += " and ";
  if (before.empty() && months.empty()) return "";
  return "that is for month " + std::to_string(*plan.until) +
         " alone: not all targets are sure to hold with it " + before + months;
}

std::string look_further(const PlanResult& plan) {
  if (is_all_the_least(plan)) {
    const PlanAxis& axis = plan.axes.front();
    return "that is the least of the range that was searched, " + axis.from + " to " + axis.to +
           ": whether fewer would do was not asked";
  }
  if (!is_at_least(plan)) return "";
  std::string over;
  for (const PlanAxis& axis : plan.axes) {
    const auto most = base::parse_quantity(axis.from, Dimension::number);
    const bool further = axis.open && axis.falls && most.value;
    // What else is searched stays so: `--over` replaces all of it.
    over += " --over " +
            base::shell_word(further ? axis.name + "=1.." + base::shortest(kFurther * *most.value)
                                     : axis.asked);
    if (axis.unit > 0) over += " --unit " + axis.name + "=" + std::to_string(axis.unit);
  }
  return "that is the end of the range that was searched: " + over.substr(1) + " looks further";
}

std::string goal_text(const PlanResult& plan) {
  return (plan.objective.maximize ? "most " : "least ") + plan.objective.name;
}

namespace {

std::string metric_of(const TargetMargin& t) {
  const auto asked = base::parse_assertion(t.that);
  return asked.ok() ? asked->metric : "";
}

/// "19.5 ksamples/s against 18 ksamples/s"; of what is undecided with its interval.
std::string against_text(const TargetMargin& t, const std::string& against) {
  if (t.status == "inconclusive" && t.interval && !t.confidence)
    return as_counted(metric_of(t), print_metric({t.value, t.unit, t.interval}) + against +
                                        print_limit(t.limit, t.unit));
  return as_counted(metric_of(t), print_beside(t.value, t.limit, t.unit) + against +
                                      limit_beside(t.value, t.limit, t.unit));
}

/// "80 of 100 cases (need 90)"; "" of what draws did not judge.
std::string cases_text(const TargetMargin& t) {
  AssertionOutcome said;
  said.probability = t.probability;
  said.confidence = t.confidence;
  return t.confidence ? cases_phrase(said) : "";
}

}  // namespace

std::string swing_margin(const PlanResult& plan, const PlanSwing& swing, double margin) {
  if (plan.answer)
    for (const TargetMargin& t : plan.points[*plan.answer].targets)
      if (t.id == swing.target) return print_target_margin(margin, t.limit, t.unit);
  return print_target_margin(margin, 1.0, "");
}

std::string margin_text(const TargetMargin& t) {
  const std::string cases = cases_text(t);
  return t.id + (t.when.empty() ? "" : ", " + t.when) + ": " + against_text(t, " against ") +
         ", margin " +
         (t.limit == 0.0 && t.margin != 0.0
              ? (t.margin > 0.0 ? "+" : "-") +
                    as_counted(metric_of(t), print_value(std::abs(t.margin), t.unit))
              : print_target_margin(t.margin, t.limit, t.unit)) +
         (t.confidence && t.status == "inconclusive" ? ", not judged by all draws"
          : cases.empty()                            ? ""
                                                     : ", holds in " + cases);
}

std::string set_option(const std::string& set) {
  const std::size_t equals = set.find('=');
  return "--set " + base::plain_path(set.substr(0, equals)) + "=\"" + set.substr(equals + 1) + "\"";
}

std::string set_options(const PlanInterval& interval) {
  std::vector<std::string> out;
  for (const std::string& set : interval.set) out.push_back(set_option(set));
  return base::join(out, " ");
}

std::string met_by_saves(const PlanResult& plan) {
  if (plan.answer || plan.intervals.size() != 1 || !plan.intervals.front().meets) return "";
  const PlanInterval& interval = plan.intervals.front();
  return ", but they hold with " + base::counted(plan, plan.points[interval.point]) +
         " where job " + interval.job + " saves every " + print_value(interval.best, "s") + ": " +
         set_options(interval);
}

std::string with_interval(const PlanResult& plan, const PlanInterval& interval) {
  std::string run = " (" + set_options(interval);
  if (!interval.run.empty()) run += "; simulated with --set run.duration=\"" + interval.run + "\"";
  run += ")";
  if (!interval.meets) return "with it not all targets are sure to hold" + run;
  return (plan.decided_by_draws() ? "with it the targets hold nominally"
                                  : "with it the targets hold") +
         run;
}

std::vector<PlanPart> plan_parts(const PlanResult& plan) {
  std::vector<PlanPart> out;
  for (PlanPart& part : std::vector<PlanPart>{grown(plan),
                                              drawn_part(plan),
                                              worth(plan),
                                              prices(plan),
                                              tornado(plan),
                                              intervals(plan),
                                              {"Notes", plan.notes},
                                              {"Warnings", warnings_of(plan)}})
    if (!part.lines.empty()) out.push_back(std::move(part));
  return out;
}

/// "with 36 OSTs save is 10.4 s, against 10.2 s".
namespace {

/// "stall is 8.96 s, against 4 s".
std::string missed_alone(const TargetMargin& t) {
  if (t.unsure() && t.margin >= 0.0)
    return t.name() + " holds in " + (t.probability ? cases_text(t) : std::string("too few draws"));
  return t.name() + " is " + against_text(t, ", against ");
}

}  // namespace

std::string missed_text(const PlanReason& reason) {
  return "with " + reason.values + " " + missed_alone(reason.target);
}

std::string reason_text(const PlanResult& plan) {
  if (!plan.reason) return "";
  const PlanReason& reason = *plan.reason;
  return "by " + reason.by +
         (reason.resource.empty() ? "" : " (" + label::of_resource(reason.resource) + ")") + ": " +
         missed_text(reason);
}

std::string nearest_text(const PlanResult& plan) {
  if (!plan.nearest) return "";
  std::string out = "nearest: " + missed_text(plan.nearest->misses);
  for (const PlanReason& more : plan.nearest->also) out += ", and " + missed_alone(more.target);
  if (plan.nearest->beyond) out += "; " + missed_text(*plan.nearest->beyond);
  if (plan.nearest->looked == 0) return out;
  return out + "; " + counted(static_cast<std::int64_t>(plan.nearest->looked), "more designs") +
         " were looked at for it" + (plan.nearest->cut_off ? ", and more may come nearer" : "");
}

}  // namespace stallcast::report
