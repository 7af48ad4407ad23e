#include "ui/app/plan_question.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/decide/plan/countables.hpp"
#include "engine/decide/plan/refusals.hpp"
#include "models/bounds/bounds.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/rules/rules.hpp"
#include "ui/app/redesign.hpp"

namespace stallcast::client {
namespace {

/// What `wanted` sets goes before what `spec` says.
void override_with(const PlanSpec& wanted, PlanSpec& spec) {
  if (!wanted.minimize.empty() || !wanted.maximize.empty()) {
    spec.minimize = wanted.minimize;
    spec.maximize = wanted.maximize;
  }
  if (!wanted.survive.empty()) spec.survive = wanted.survive;
  if (wanted.checks) spec.checks = wanted.checks;
  if (wanted.replicas) spec.replicas = wanted.replicas;
  if (wanted.tornado) spec.tornado = wanted.tornado;
  if (wanted.spread) spec.spread = wanted.spread;
  if (wanted.confidence) spec.confidence = wanted.confidence;
  if (wanted.draws) spec.draws = wanted.draws;
}

/// Refusals, and what is wrong with the name of a metric.
std::vector<plan::Refusal> refusals_of(const Scenario& scenario, const PlanSpec& spec) {
  plan::Refusals out = plan::refusals(spec, scenario.design(), redesign_of(scenario));
  if (!out.metric) return std::move(out.all);
  Diagnostics faults;
  scenarios::check_metric(scenario.design(), *out.metric, plan::objective_pointer(spec), faults);
  for (const Diagnostic& d : faults.items())
    out.all.push_back({d.pointer, {}, {ExitCode::bad_input, d.message, d.hint}});
  return std::move(out.all);
}

/// Nothing is asked the least or the most of that was searched and no longer is.
void drop_objective(const Scenario& scenario, PlanSpec& spec) {
  const PlanSpec& own = scenario.questions().plan;
  const auto path_of = [&](const std::string& name) {  // "osts" is what its path is
    const auto path = plan::shortcut_path(name, scenario.design());
    return path.ok() && *path ? **path : name;
  };
  const auto searched_as = [&](const std::string& name, const PlanSpec& by) {
    return std::any_of(by.over.begin(), by.over.end(), [&](const PlanDimension& one) {
      return plan::same_path(path_of(one.axis.path), path_of(name)) ||
             one.axis.path == "params." + name;
    });
  };
  for (std::string* name : {&spec.minimize, &spec.maximize})
    if (searched_as(*name, own) && !searched_as(*name, spec)) name->clear();
}

bool searches_alike(const PlanSpec& a, const PlanSpec& b) {
  const auto path = [](const PlanDimension& one) { return one.axis.path; };
  return std::ranges::equal(a.over, b.over, {}, path, path);
}

}  // namespace

PlanSpec asked_plan(const Scenario& scenario, const PlanQuestion& wanted, Diagnostics& faults) {
  PlanSpec spec = scenario.questions().plan;
  if (!wanted.spec.storage.empty()) spec.storage = wanted.spec.storage;
  if (!wanted.over.empty() || !wanted.spec.over.empty() || !wanted.spec.storage.empty())
    spec.over = wanted.spec.over;
  for (const std::string& option : wanted.over)
    scenarios::add_over(option, scenario.parameters(), spec, faults);
  for (const std::string& option : wanted.unit)
    scenarios::add_unit(option, scenario.parameters(), spec, faults);
  drop_objective(scenario, spec);
  override_with(wanted.spec, spec);
  if (!spec.over.empty() || !spec.maximize.empty()) return spec;
  const std::string storage =
      spec.storage.empty() ? models::bounds(scenario.design()).storage : spec.storage;
  const auto& all = scenario.questions().ranged;
  const auto ranged = all.find(plan::default_path(scenario.design(), storage));
  if (ranged != all.end()) spec.over = {ranged->second};
  return spec;
}

void add_plan_faults(const Scenario& scenario, const PlanSpec& spec, Diagnostics& out) {
  const PlanSpec& own = scenario.questions().plan;
  const auto says = [&](const std::string& pointer) {
    if (pointer == plan::objective_pointer(spec))
      return spec.minimize == own.minimize && spec.maximize == own.maximize &&
             (!spec.maximize.empty() || !spec.minimize.empty() || searches_alike(spec, own));
    return pointer.starts_with("/plan/survive") ? spec.survive == own.survive : !pointer.empty();
  };
  for (const plan::Refusal& refusal : refusals_of(scenario, spec))
    if (says(refusal.pointer))
      out.add({Severity::error, "question", refusal.pointer,
               refusal.position.file.empty() ? scenario.place(refusal.pointer) : refusal.position,
               refusal.failure.message, refusal.failure.hint});
}

std::optional<Failure> refused_plan(const Scenario& scenario, const PlanQuestion& wanted) {
  Diagnostics faults;
  const PlanSpec spec = asked_plan(scenario, wanted, faults);
  for (const Diagnostic& d : faults.items())
    if (d.severity == Severity::error) return Failure{ExitCode::bad_input, d.message, d.hint};
  const std::vector<plan::Refusal> refusals = refusals_of(scenario, spec);
  if (refusals.empty()) return std::nullopt;
  return refusals.front().failure;
}

}  // namespace stallcast::client
