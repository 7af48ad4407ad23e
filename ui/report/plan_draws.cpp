#include <algorithm>

#include "engine/base/counted.hpp"
#include "engine/base/text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/plan_parts.hpp"
#include "ui/report/report.hpp"
#include "ui/report/sureness.hpp"

/// What a plan says of its draws.
namespace stallcast::report {
namespace {

std::string drawn_amounts(const PlanResult& plan, const DrawnPoint& point) {
  std::string out;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    out += (a > 0 ? ", " : "") + base::counted(plan.axes[a], point.values[a]);
  return out;
}

/// "in 44 of 100 cases", on its side of what was asked.
std::string in_cases(const DrawnPoint& point) {
  return "in " + cases_of(point.probability, point.asked);
}

/// "the targets hold", "save holds": what was judged of a design.
std::string what_holds(const DrawnPoint& point) {
  return (point.target.empty() ? "the targets hold " : point.target + " holds ") + in_cases(point);
}

/// Without an answer: of the designs that draws judged, those whose targets hold most often, if
/// they ever do.
std::vector<bool> nearest_drawn(const ConfidentPlan& sure) {
  constexpr std::size_t kNearest = 3;
  constexpr double kSeldom = 0.01;  // less is told as such
  const auto share = [&](std::size_t i) { return sure.points[i].probability; };
  std::vector<std::size_t> by(sure.points.size());
  for (std::size_t i = 0; i < by.size(); ++i) by[i] = i;
  std::stable_sort(by.begin(), by.end(),
                   [&](std::size_t i, std::size_t j) { return share(i) > share(j); });
  std::vector<bool> out(by.size(), false);
  for (std::size_t i = 0; i < std::min(kNearest, by.size()); ++i)
    out[by[i]] = share(by[i]) >= kSeldom;
  return out;
}

/// "; busy by itself in 46 of 100 cases", where no design is sure enough and that says why.
std::string least_of(const ConfidentPlan& sure, const DrawnPoint& point) {
  if (sure.answer || point.least.empty()) return "";
  return "; " + point.least + " by itself in " + cases_of(point.least_probability, point.asked);
}

/// What stands in the way where no design is sure enough: of the one that is surest the target that
/// is least so, and who tells why.
std::string in_the_way(const PlanResult& plan) {
  const ConfidentPlan& sure = *plan.confident;
  const auto surest = std::ranges::max_element(sure.points, {}, &DrawnPoint::probability);
  if (surest == sure.points.end() || surest->least.empty()) return "";
  std::string sets;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    sets += " --set " + base::shell_word(plan.axes[a].name + "=" + surest->values[a]);
  return ": with " + drawn_amounts(plan, *surest) + " " + surest->least + " holds in " +
         cases_of(surest->least_probability, surest->asked) + "; stallcast run" + sets +
         " says what moves it";
}

/// What the design as it is would need, where a target asks for more.
std::string nominally(const PlanResult& plan, bool same) {
  const ConfidentPlan& sure = *plan.confident;
  if (same) return ", and nominally";
  if (!sure.nominal) return "";
  const DrawnPoint& point = sure.points[*sure.nominal];
  return "; nominally " + drawn_amounts(plan, point) + ", with which " + what_holds(point);
}

/// The answer that draws were asked for; nullptr without one.
const DrawnPoint* drawn_of(const PlanResult& plan) {
  const bool drawn = plan.status == PlanStatus::found && plan.confident && plan.confident->answer;
  return drawn ? &plan.confident->points[*plan.confident->answer] : nullptr;
}

}  // namespace

std::string asked_text(const ConfidentPlan& plan) {
  const std::string most = print_value(plan.asked, "ratio");
  return (plan.least_asked < plan.asked ? print_value(plan.least_asked, "ratio") + " to " : "") +
         most + " of all cases";
}

PlanStatus asked_status(const PlanResult& plan) {
  return plan.status == PlanStatus::found && plan.confident ? plan.confident->status : plan.status;
}

const std::vector<std::string>* asked_answer(const PlanResult& plan) {
  if (const DrawnPoint* drawn = drawn_of(plan)) return &drawn->values;
  const bool stated = plan.answer && asked_status(plan) == PlanStatus::found;
  return stated ? &plan.points[*plan.answer].values : nullptr;
}

std::optional<std::int64_t> asked_count(const PlanResult& plan) {
  if (const DrawnPoint* drawn = drawn_of(plan)) return drawn->count;
  return asked_status(plan) == PlanStatus::found ? std::optional(plan.required) : std::nullopt;
}

PlanPart drawn_part(const PlanResult& plan) {
  PlanPart out{"How often the targets hold", {}};
  if (!plan.confident || plan.confident->points.empty()) return out;
  const ConfidentPlan& sure = *plan.confident;
  const std::vector<bool> nearest = nearest_drawn(sure);
  for (std::size_t i = 0; i < sure.points.size(); ++i) {
    const bool near = sure.answer ? i + 1 >= *sure.answer && i <= *sure.answer + 1 : nearest[i];
    if (!near && sure.nominal != i) continue;
    const DrawnPoint& point = sure.points[i];
    out.lines.push_back(
        drawn_amounts(plan, point) + ": " + (point.target.empty() ? "" : point.target + " ") +
        in_cases(point) +
        (point.ruled_out
             ? ", by the first " + counted(static_cast<std::int64_t>(point.draws), "draws")
             : "") +
        (sure.answer == i ? ", the answer for " + asked_text(sure)
         : sure.nominal == i
             ? (sure.decides ? ", the nominal answer" : ", the answer without draws")
             : "") +
        least_of(sure, point));
  }
  const auto others = static_cast<std::int64_t>(sure.points.size()) - (sure.nominal ? 1 : 0);
  if (!sure.answer && others > 0 && out.lines.size() <= (sure.nominal ? 1U : 0U))
    out.lines.push_back(counted(others, "other designs") + ": in less than 1 of 100 cases");
  out.lines.push_back(
      drawn_phrase(sure.draws, sure.inputs, sure.fitted) +
      ", the same for each design; a design that the first of them rule out is not simulated "
      "further");
  return out;
}

std::string drawn_answer(const PlanResult& plan) {
  if (!plan.confident || !plan.answer || plan.decided_by_draws()) return "";
  const ConfidentPlan& sure = *plan.confident;
  if (!sure.answer) return confident_text(plan);
  if (sure.answer == sure.nominal) return "";
  return needs(plan) + " " + drawn_amounts(plan, sure.points[*sure.answer]) + " for " +
         asked_text(sure);
}

std::string stated_cases(const PlanResult& plan) {
  if (!plan.confident || !plan.confident->nominal) return "";
  return ", with which " + what_holds(plan.confident->points[*plan.confident->nominal]);
}

std::string confident_text(const PlanResult& plan) {
  if (!plan.confident) return "";
  const ConfidentPlan& sure = *plan.confident;
  if (!sure.answer && sure.decides)
    return "that is for " + asked_text(sure) + nominally(plan, false);
  if (!sure.answer)
    return (sure.status == PlanStatus::infeasible
                ? "no design that was looked at meets the targets in "
                : "the search has no answer yet for ") +
           asked_text(sure) + in_the_way(plan);
  if (sure.decides) return "for " + asked_text(sure) + nominally(plan, sure.nominal == sure.answer);
  if (sure.nominal == sure.answer) return "the same for " + asked_text(sure);
  return drawn_amounts(plan, sure.points[*sure.answer]) + " for " + asked_text(sure);
}

}  // namespace stallcast::report
