#include "ui/app/growth.hpp"

#include <map>
#include <set>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/grow/accumulated.hpp"
#include "engine/decide/grow/trends.hpp"
#include "models/bounds/space.hpp"
#include "scenarios/questions/growth_reader.hpp"
#include "stallcast/change.hpp"
#include "ui/app/months.hpp"
#include "ui/app/redesign.hpp"

namespace stallcast::client {
namespace {

/// Months that a plan answers for, besides the last.
constexpr int kStages = 4;

/// What changes `plan` answers with.
std::vector<Change> answer_of(const PlanResult& plan) {
  std::vector<Change> out;
  const std::vector<std::string>& values = plan.points[*plan.answer].values;
  for (std::size_t a = 0; a < plan.axes.size(); ++a)
    out.push_back({plan.axes[a].path, parse_setting(values[a])});
  return out;
}

/// A scenario in one of its months.
class Grown {
 public:
  Grown(const Scenario& scenario, const grow::Trends& trends, int month)
      : scenario_(scenario), trends_(trends), month_(month) {}

  /// With these changes all along; what it keeps of the months before is what else lies there.
  [[nodiscard]] Scenario with(std::span<const Change> changes) {
    std::vector<Change> all = at(month_, changes);
    Scenario now = scenario_.with(all);
    if (!now.ok()) return now;
    const std::map<std::string, Bytes>& kept = kept_by(now, changes);
    if (kept.empty()) return now;
    for (const auto& [storage, bytes] : kept) {
      const Value* other = now.design().find_storage(storage)->find(kOther);
      const double before = other == nullptr ? 0.0 : other->number;
      all.push_back({base::component_path("storage", storage) + "." + std::string(kOther),
                     setting_of(before + bytes.in(unit::B), Dimension::bytes)});
    }
    return scenario_.with(all);
  }

  /// What that is, by storage system.
  [[nodiscard]] std::map<std::string, Bytes> kept(std::span<const Change> changes) {
    const Scenario now = scenario_.with(at(month_, changes));
    return now.ok() ? kept_by(now, changes) : std::map<std::string, Bytes>{};
  }

 private:
  static constexpr std::string_view kOther = "capacity.other";

  [[nodiscard]] std::vector<Change> at(int month, std::span<const Change> changes) const {
    std::vector<Change> all = trends_.at(month);
    all.insert(all.end(), changes.begin(), changes.end());
    return all;
  }

  // A search comes back to its designs.
  const std::map<std::string, Bytes>& kept_by(const Scenario& now,
                                              std::span<const Change> changes) {
    std::string key;
    for (const Change& change : changes) key += text_of(change) + "\n";
    if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
    const auto adding_in = [&](int month) {
      const Scenario then = scenario_.with(at(month, changes));
      // A design may be one that only later months have room for.
      return grow::adding(models::spaces((then.ok() ? then : now).design()));
    };
    return kept_.emplace(key, grow::accumulated(month_, trends_.steps(), adding_in)).first->second;
  }

  const Scenario& scenario_;
  const grow::Trends& trends_;
  int month_;
  std::map<std::string, std::map<std::string, Bytes>> kept_;
};

/// A plan of one design alone, the answer of another.
PlanSpec alone(PlanSpec spec, const PlanResult& plan) {
  spec.over.clear();
  for (Change& change : answer_of(plan)) {
    PlanDimension one;
    one.axis.path = std::move(change.path);
    one.axis.values.push_back({std::move(change.value), "", {}});
    spec.over.push_back(std::move(one));
  }
  return spec;
}

PlanStage stage_of(int month, const PlanResult& plan) {
  const bool found = plan.status == PlanStatus::found && plan.answer;
  return {month, plan.status, found ? base::counted(plan, plan.points[*plan.answer]) : "",
          plan.reason ? plan.reason->by : ""};
}

/// What the scenario says grows, with what is asked.
Result<GrowthSpec> asked_growth(const Scenario& scenario, const GrowthQuestion& wanted) {
  GrowthSpec spec = scenario.questions().growth, asked;
  Diagnostics faults;
  for (const std::string& option : wanted.of)
    scenarios::add_trend(option, scenario.parameters(), asked, faults);
  if (faults.has_errors()) {
    const Diagnostic& d = faults.items().front();
    return Failure{ExitCode::bad_input, "--of: " + d.message, d.hint};
  }
  // What is asked takes the place of what the scenario, or an option before it, says of the value.
  for (GrowthTrend& trend : asked.trends) {
    std::erase_if(spec.trends, [&](const GrowthTrend& other) {
      return grow::mean_the_same(scenario.design(), other.path, trend.path);
    });
    spec.trends.push_back(std::move(trend));
  }
  spec.months = wanted.months.value_or(spec.months);
  spec.every = wanted.every.value_or(spec.every);
  return spec;
}

}  // namespace

Result<int> months_of(std::string_view asked, std::string_view text) {
  if (const std::optional<int> months = scenarios::months_of(text)) return *months;
  return Failure{ExitCode::bad_input,
                 std::string(asked) + ": \"" + std::string(text) + "\" is not a number of months",
                 "write 24mo or 2y; at most 20 years"};
}

Result<double> confidence_of(std::string_view asked, std::string_view text) {
  const auto share = base::parse_quantity(text, Dimension::ratio);
  if (share.value && *share.value > 0.0 && *share.value <= 1.0) return *share.value;
  return Failure{ExitCode::bad_input,
                 std::string(asked) + ": \"" + std::string(text) + "\" is not a share of all cases",
                 "write 90%"};
}

std::optional<Failure> refused_growth(const Scenario& scenario, const GrowthQuestion& wanted) {
  const Result<GrowthSpec> spec = asked_growth(scenario, wanted);
  if (!spec.ok()) return spec.failure();
  const Result<grow::Trends> trends =
      grow::Trends::make(*spec, scenario.design(), scenario.parameters(), redesign_of(scenario));
  if (!trends.ok()) return trends.failure();
  return std::nullopt;
}

Result<GrowthResult> grow(const Scenario& scenario, const GrowthQuestion& wanted,
                          const predict::PredictOptions& options) {
  const Result<GrowthSpec> spec = asked_growth(scenario, wanted);
  if (!spec.ok()) return spec.failure();
  return grow::grow(scenario.design(), scenario.parameters(), *spec, redesign_of(scenario),
                    options);
}

Result<PlanResult> plan_until(const Scenario& scenario, const PlanSpec& spec, int until,
                              const SolvePlan& solve) {
  const GrowthSpec& growth = scenario.questions().growth;
  const Result<grow::Trends> trends =
      grow::Trends::make(growth, scenario.design(), scenario.parameters(), redesign_of(scenario));
  if (!trends.ok()) return trends.failure();
  const auto in_month = [&](int month, const PlanSpec& wanted) -> Result<PlanResult> {
    Grown grown(scenario, *trends, month);
    const Scenario as_it_is = grown.with({});
    if (!as_it_is.ok()) return grow::in_month(month, as_it_is.failure());
    return solve(
        as_it_is, [&](std::span<const Change> changes) { return grown.with(changes); }, wanted);
  };
  Result<PlanResult> last = in_month(until, spec);
  if (!last.ok()) return last.failure();
  last->until = until;
  PlanSpec brief = spec;
  if (spec.maximize.empty()) brief.checks = 0;
  brief.tornado = 0;
  brief.confidence.reset();
  brief.judge_each = false;
  if (last->decided_by_draws())
    last->notes.push_back("months before are of the design as it is, without draws");
  std::set<int> months;
  for (int i = 0; i < kStages; ++i) months.insert(until * i / kStages);
  for (const int month : months) {
    const Result<PlanResult> found = in_month(month, brief);
    if (!found.ok()) return found.failure();
    last->stages.push_back(stage_of(month, *found));
    // Where it grows less than what is bought, the last month may need less than those before.
    PlanStage& stage = last->stages.back();
    if (!last->answer || stage.amounts == base::counted(*last, last->points[*last->answer]))
      continue;
    const Result<PlanResult> there = in_month(month, alone(brief, *last));
    if (!there.ok()) return there.failure();
    stage.enough = there->status == PlanStatus::found;
  }
  last->stages.push_back(stage_of(until, *last));
  for (const PlanAxis& axis : last->axes)
    if (trends->moves(axis.path))
      last->notes.push_back("what \"growth\" says of " + axis.name +
                            " is left out: it is searched");
  if (last->answer)
    for (const auto& [storage, bytes] : Grown(scenario, *trends, until).kept(answer_of(*last)))
      last->notes.push_back("on " + storage + " lie also " +
                            base::print_quantity(bytes.in(unit::B), Dimension::bytes) +
                            " that the months before added and nothing removes");
  return last;
}

}  // namespace stallcast::client
