#include "engine/decide/check/judge.hpp"

#include <algorithm>
#include <set>

#include "engine/base/covers.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/predict/compare.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::check {
namespace {

using metric::Better;

/// Which way the metric of an assertion should go: by the table, else by its operator.
Better way_of(const base::Assertion& assertion) {
  if (const Better way = metric::better(assertion.metric); way != Better::neither) return way;
  return assertion.op.starts_with('<')   ? Better::lower
         : assertion.op.starts_with('>') ? Better::higher
                                         : Better::neither;
}

const Expectation& expectation_of(const Design& design, const std::string& id) {
  return *std::find_if(design.expect.begin(), design.expect.end(),
                       [&](const Expectation& e) { return e.id == id; });
}

CheckStatus status_of(const std::string& outcome) {
  return outcome == "pass"   ? CheckStatus::pass
         : outcome == "fail" ? CheckStatus::fail
                             : CheckStatus::inconclusive;
}

/// Compares with the baseline; a move for the worse is a failure, whatever the limit says, but for
/// a limit that says itself how far it may go: "<= base * 1.05".
void compare(const base::Assertion& assertion, const BaselineEntry* entry, const CheckRules& rules,
             CheckedAssertion& checked) {
  AssertionOutcome& outcome = checked.outcome;
  if (entry == nullptr || entry->unit != outcome.unit || entry->metric != metric_name(assertion)) {
    checked.state = BaselineState::fresh;
    checked.note = "not compared: the baseline has no value of it";
    return;
  }
  checked.before = entry->value;
  checked.tolerance = predict::tolerance_of(assertion.metric, rules.tolerances);
  const MetricChange change = predict::compare(
      outcome.metric, {entry->value, entry->unit, std::nullopt},
      {outcome.value, outcome.unit, std::nullopt}, checked.tolerance, way_of(assertion));
  const bool allowed = !assertion.relative.empty() && checked.status == CheckStatus::pass;
  checked.state = change.effect == Effect::worse && !allowed ? BaselineState::worse
                  : change.effect == Effect::better          ? BaselineState::better
                                                             : BaselineState::same;
  if (checked.state == BaselineState::worse)
    checked.status = CheckStatus::fail;
  else if (checked.status == CheckStatus::fail && rules.new_only && entry->failed)
    checked.status = CheckStatus::known;
}

void apply_waiver(const Expectation& expectation, const CheckRules& rules,
                  CheckedAssertion& checked) {
  if (expectation.waive.empty()) return;
  checked.waive = expectation.waive;
  checked.until = expectation.until;
  if (!checked.is_open()) {
    if (checked.status == CheckStatus::pass) checked.note = "its waiver is no longer needed";
  } else if (rules.today <= expectation.until) {
    checked.status = CheckStatus::waived;
  } else {
    checked.note = "its waiver ended on " + expectation.until;
  }
}

void apply_inconclusive(const Prediction& prediction, const CheckRules& rules,
                        CheckedAssertion& checked) {
  if (checked.status != CheckStatus::inconclusive) return;
  const AssertionOutcome& outcome = checked.outcome;
  const bool cut_off = outcome.confidence && !outcome.probability && prediction.uncertainty &&
                       prediction.uncertainty->cut_off > 0;
  checked.note = !outcome.is_known()          ? "what it is of did not come in the run"
                 : !outcome.limit.has_value() ? "the baseline has no value for it"
                 : cut_off                    ? "draws were cut off: its confidence is not judged"
                 : outcome.confidence         ? "no draws judge its confidence"
                                              : "its interval straddles the limit";
  if (rules.inconclusive == Inconclusive::fail) checked.status = CheckStatus::fail;
  if (rules.inconclusive == Inconclusive::warn) checked.outcome.level = "warn";
  if (rules.inconclusive == Inconclusive::pass) checked.status = CheckStatus::pass;
}

/// How busy a resource is: over the run, or where saves load it now and then, at its peak. Of
/// several, and of both ways of one, the busiest counts.
std::string load_of(const Prediction& prediction, const std::string& resource) {
  constexpr double kBusy = 0.5;
  const auto percent = [](double share) { return base::print_quantity(share, Dimension::ratio); };
  double busy = 0.0, peak = 0.0;
  for (const ResourceUse& use : prediction.resources)
    if (use.capacity > 0.0 && base::covers(resource, use.name))
      busy = std::max(busy, use.utilization()), peak = std::max(peak, use.load());
  if (busy >= kBusy) return percent(busy) + " busy";
  if (peak >= kBusy) return percent(std::min(1.0, peak)) + " busy while it is in use";
  return "";
}

}  // namespace

std::vector<CheckedAssertion> judge(const Design& design, const Prediction& prediction,
                                    const ScenarioKey& scenario, const Baseline* baseline,
                                    const CheckRules& rules, Diagnostics& faults) {
  if (baseline == nullptr)
    for (const Expectation& e : design.expect)
      if (const auto parsed = base::parse_assertion(e.that);
          parsed.ok() && !parsed->relative.empty())
        faults.error("expect", e.pointer + "/that",
                     "\"" + e.that + "\" compares with a baseline, and there is none",
                     "give --baseline FILE or --baseline git:REV");
  const predict::BaseValues base =
      baseline != nullptr ? baseline->values(scenario) : predict::BaseValues{};
  std::vector<CheckedAssertion> out;
  std::vector<AssertionOutcome> outcomes = predict::check(design, prediction, faults, &base);
  predict::leave_open(outcomes);
  for (AssertionOutcome& outcome : outcomes) {
    const Expectation& expectation = expectation_of(design, outcome.id);
    const auto assertion = base::parse_assertion(outcome.that);
    CheckedAssertion checked;
    checked.status = status_of(outcome.status);
    checked.outcome = std::move(outcome);
    const Better way = way_of(*assertion);
    checked.better = way == Better::higher ? "higher" : way == Better::lower ? "lower" : "";
    if (baseline != nullptr)
      compare(*assertion, baseline->find({scenario, expectation.id}), rules, checked);
    if (checked.outcome.limited_by.empty() && checked.is_open() && checked.outcome.is_known())
      predict::name_limit(prediction, checked.outcome);
    checked.load = load_of(prediction, checked.outcome.limited_by);
    apply_waiver(expectation, rules, checked);
    apply_inconclusive(prediction, rules, checked);
    out.push_back(std::move(checked));
  }
  return out;
}

void name_limit(const Prediction& prediction, CheckedAssertion& checked) {
  if (checked.outcome.limited_by.empty() &&
      gain_of_target(prediction, checked.outcome.metric) == nullptr)
    return;
  predict::name_limit(prediction, checked.outcome);
  checked.load = load_of(prediction, checked.outcome.limited_by);
}

bool is_accepted(const std::vector<CheckedAssertion>& all, const std::string& id) {
  return std::any_of(all.begin(), all.end(), [&](const CheckedAssertion& a) {
    return a.outcome.id == id &&
           (a.status == CheckStatus::waived || a.status == CheckStatus::known);
  });
}

std::vector<std::string> stale_entries(const Design& design, const ScenarioKey& scenario,
                                       const Baseline& baseline, const CheckRules& rules) {
  std::vector<std::string> out;
  std::set<std::string> models;
  for (const auto& [key, entry] : baseline.entries()) {
    if (key.scenario != scenario) continue;
    if (entry.model != rules.model && !rules.allow_skew) models.insert(entry.model);
    const auto now =
        std::find_if(design.expect.begin(), design.expect.end(),
                     [&, &key = key](const Expectation& e) { return e.id == key.assertion; });
    if (now == design.expect.end()) {
      out.push_back(scenario.id + ": the assertion \"" + key.assertion + "\" is gone");
      continue;
    }
    const auto assertion = base::parse_assertion(now->that);
    if (assertion.ok() && metric_name(*assertion) != entry.metric)
      out.push_back(scenario.id + ": \"" + key.assertion + "\" was about " + entry.metric +
                    ", and is now about " + metric_name(*assertion));
  }
  for (const std::string& model : models)
    out.push_back(scenario.id + ": predicted by models " + model + ", this program has " +
                  rules.model + " (--allow-skew compares all the same)");
  return out;
}

ExitCode exit_of(const CheckReport& report, const CheckRules& rules) {
  const auto any = [&](ExitCode exit) {
    return std::any_of(report.scenarios.begin(), report.scenarios.end(),
                       [&](const CheckedScenario& s) { return s.exit == exit; });
  };
  for (const ExitCode exit : {ExitCode::internal, ExitCode::bad_input})
    if (any(exit)) return exit;
  if (rules.fail_on == FailOn::never) return ExitCode::ok;
  const CheckCounts counts = count(report);
  const bool strict = rules.fail_on == FailOn::warn;
  const bool unfinished = !report.stale.empty() || any(ExitCode::inconclusive);
  if (counts.failed > 0 || (strict && counts.warned > 0) ||
      (unfinished && rules.inconclusive == Inconclusive::fail))
    return ExitCode::answer_no;
  const bool matters = rules.inconclusive == Inconclusive::exit_three;
  return counts.inconclusive > 0 || (unfinished && matters) ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace stallcast::check
