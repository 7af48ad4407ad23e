#include "ui/app/lint.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/assertion.hpp"
#include "engine/decide/grow/trends.hpp"
#include "engine/decide/predict/predict.hpp"
#include "ui/app/plan_question.hpp"
#include "ui/app/redesign.hpp"
#include "ui/app/sweep_plan.hpp"

namespace stallcast::client {
namespace {

/// More of them nobody wrote by hand, and a server has others to answer.
constexpr std::size_t kMostVariants = 200;

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.message == b.message && a.position.file == b.position.file &&
         a.position.line == b.position.line && a.position.column == b.position.column;
}

void add_fault(const std::string& pointer, const Position& position, const Failure& failure,
               Diagnostics& out) {
  out.add({Severity::error, "question", pointer, position, failure.message, failure.hint});
}

void add_growth_faults(const Scenario& scenario, Diagnostics& out) {
  for (const GrowthTrend& trend : scenario.questions().growth.trends) {
    GrowthSpec alone = scenario.questions().growth;
    alone.trends = {trend};
    alone.trends.front().position = {};  // the message need not name it
    const auto made =
        grow::Trends::make(alone, scenario.design(), scenario.parameters(), redesign_of(scenario));
    if (!made.ok()) add_fault(trend.pointer, trend.position, made.failure(), out);
  }
}

/// What `run` refuses once it has simulated: that lacks a value which nothing here varies, or that
/// only a plan finds.
void add_target_faults(const Scenario& scenario, bool plans, bool varies, Diagnostics& out) {
  if (!varies)
    for (Diagnostic& d : out.items())
      if (d.code == "unknown-metric") d.severity = Severity::error;
  if (plans) return;
  for (const Expectation& e : scenario.design().expect)
    if (const auto read = base::parse_assertion(e.that);
        read.ok() && predict::is_plan_metric(read->metric)) {
      const std::string at = e.pointer + "/that";
      out.error("unknown-metric", at, "a run has no \"" + read->metric + "\"",
                predict::metric_hint(read->metric, {}));
    }
  scenario.locate(out);
}

void add_question_faults(const Scenario& scenario, Diagnostics& out) {
  const PlanSpec& plan = scenario.questions().plan;
  const bool plans = !plan.over.empty() || !plan.minimize.empty() || !plan.maximize.empty() ||
                     !plan.survive.empty();
  if (plans) add_plan_faults(scenario, asked_plan(scenario, {}, out), out);
  add_sweep_faults(scenario, out);
  add_growth_faults(scenario, out);
  const auto& questions = scenario.questions();
  add_target_faults(scenario, plans, plans || !questions.sweep.axes.empty(), out);
  out.sort_by_place();
}

}  // namespace

Diagnostics lint(const Session& session, const ScenarioFile& source) {
  const Reading reading = session.read(source);
  Diagnostics out = reading.diagnostics;
  if (reading.scenario) add_question_faults(*reading.scenario, out);
  const bool again = source.text || std::filesystem::is_regular_file(source.file);
  if (!reading.scenario || !source.variant.empty() || !again) return out;
  const std::vector<Diagnostic> known = out.items();
  const auto names = reading.scenario->variants();
  for (const std::string& name : names.first(std::min(names.size(), kMostVariants))) {
    ScenarioFile variant = source;
    variant.variant = name;
    const Reading its = session.read(variant);
    Diagnostics found = its.diagnostics;
    if (its.scenario) add_question_faults(*its.scenario, found);
    for (Diagnostic d : found.items()) {
      if (std::any_of(known.begin(), known.end(), [&](const auto& k) { return same(k, d); }))
        continue;
      d.message = "variant \"" + name + "\": " + d.message;
      out.add(std::move(d));
    }
  }
  if (names.size() > kMostVariants)
    out.add({.severity = Severity::warning,
             .code = "variants",
             .pointer = "/scenarios",
             .position = {},
             .message = "of " + std::to_string(names.size()) + " variants the first " +
                        std::to_string(kMostVariants) + " were looked at",
             .hint = "name one: --variant"});
  return out;
}

}  // namespace stallcast::client
