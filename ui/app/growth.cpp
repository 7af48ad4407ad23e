#include "ui/app/growth.hpp"

#include <set>

#include "engine/base/counted.hpp"
#include "engine/decide/grow/grow.hpp"
#include "engine/decide/grow/trends.hpp"
#include "scenarios/questions/growth_reader.hpp"
#include "ui/app/months.hpp"

namespace stallcast::client {
namespace {

/// Months that a plan answers for, besides the last.
constexpr int kStages = 4;

/// What would be bought: "18 OSTs, 2 MDTs".
std::string amounts_of(const PlanResult& plan) {
  std::string out;
  if (plan.status != PlanStatus::found || !plan.answer) return out;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    out += (a > 0 ? ", " : "") + base::counted(plan.axes[a], plan.points[*plan.answer].values[a]);
  return out;
}

PlanStage stage_of(int month, const PlanResult& plan) {
  return {month, plan.status, amounts_of(plan), plan.reason ? plan.reason->by : ""};
}

}  // namespace

std::optional<int> months_of(std::string_view text) { return scenarios::months_of(text); }

Result<GrowthResult> grow(const Scenario& scenario, const GrowthQuestion& wanted,
                          const predict::PredictOptions& options) {
  GrowthSpec spec = scenario.questions().growth;
  Diagnostics faults;
  for (const std::string& option : wanted.of)
    scenarios::add_trend(option, scenario.parameters(), spec, faults);
  if (faults.has_errors()) {
    const Diagnostic& d = faults.items().front();
    return Failure{ExitCode::bad_input, "--of: " + d.message, d.hint};
  }
  spec.months = wanted.months.value_or(spec.months);
  spec.every = wanted.every.value_or(spec.every);
  return grow::grow(
      scenario.design(), scenario.parameters(), spec,
      [&](std::span<const Change> changes) -> Result<Design> {
        const Scenario changed = scenario.with(changes);
        if (!changed.ok()) return changed.failure();
        return changed.design();
      },
      options);
}

Result<PlanResult> plan_until(const Scenario& scenario, const PlanSpec& spec, int until,
                              const SolvePlan& solve) {
  const GrowthSpec& growth = scenario.questions().growth;
  if (growth.trends.empty())
    return Failure{ExitCode::bad_input, "the scenario does not say what grows",
                   R"(add "growth": { "of": { "jobs.train.dataset.samples": "4 %/month" } })"};
  const Result<grow::Trends> trends =
      grow::Trends::make(growth, scenario.design(), scenario.parameters());
  if (!trends.ok()) return trends.failure();
  const auto in_month = [&](int month, const PlanSpec& wanted) -> Result<PlanResult> {
    const Scenario grown = scenario.with(trends->at(month));
    if (!grown.ok()) {
      Failure why = grown.failure();
      why.message = "in month " + std::to_string(month) + ": " + why.message;
      return why;
    }
    return solve(grown, wanted);
  };
  Result<PlanResult> last = in_month(until, spec);
  if (!last.ok()) return last.failure();
  last->until = until;
  PlanSpec brief = spec;
  brief.checks = 0;
  brief.tornado = 0;
  brief.confidence.reset();
  std::set<int> months;
  for (int i = 0; i < kStages; ++i) months.insert(until * i / kStages);
  for (const int month : months) {
    const Result<PlanResult> found = in_month(month, brief);
    if (!found.ok()) return found.failure();
    last->stages.push_back(stage_of(month, *found));
  }
  last->stages.push_back(stage_of(until, *last));
  for (const PlanAxis& axis : last->axes)
    if (trends->moves(axis.path))
      last->notes.push_back("what \"growth\" says of " + axis.name +
                            " is left out: it is searched");
  return last;
}

}  // namespace stallcast::client
