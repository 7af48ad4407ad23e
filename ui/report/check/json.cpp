#include <nlohmann/json.hpp>

#include "ui/report/advice.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Position& at) {
  return {{"file", at.file}, {"line", at.line}, {"column", at.column}};
}

Json assertion_object(const CheckedScenario& s, const CheckedAssertion& a) {
  const AssertionOutcome& o = a.outcome;
  const bool with_job = s.prediction && jobs_of(*s.prediction).size() > 1;
  Json out = {{"id", o.id},
              {"that", o.that},
              {"text", target_phrase(o, with_job)},
              {"level", o.level},
              {"status", status_name(a.status)},
              {"metric", o.metric},
              {"value", o.value},
              {"unit", o.unit}};
  if (o.ci95) out["ci95"] = {o.ci95->first, o.ci95->second};
  if (o.limit) out["limit"] = *o.limit;
  if (o.upper) out["upper"] = *o.upper;
  if (o.probability) out["probability"] = *o.probability;
  if (o.confidence) out["confidence"] = *o.confidence;
  if (a.state != BaselineState::absent) {
    out["baseline"] = {{"state", state_name(a.state)},
                       {"regression", a.state == BaselineState::worse}};
    if (a.before) out["baseline"]["value"] = *a.before;
    if (a.before) out["baseline"]["tolerance"] = a.tolerance;
  }
  for (const auto& [key, text] :
       {std::pair{o.waited ? "most_waited_for" : "limited_by", &o.limited_by},
        {"fix", &a.fix},
        {"why", &o.why},
        {"waive", &a.waive},
        {"until", &a.until},
        {"note", &a.note},
        {"culprit", &a.culprit_path}})
    if (!text->empty()) out[key] = *text;
  out["at"] = place_json(a.at);
  if (a.is_open()) out["culprit_at"] = place_json(a.culprit);
  out["fingerprint"] = a.fingerprint;
  return out;
}

Json scenario_object(const CheckedScenario& s) {
  Json out = {{"path", s.path},
              {"uri", s.uri},
              {"id", s.id},
              {"sha256", s.design_sha256},
              {"exit", static_cast<int>(s.exit)}};
  if (!s.failure.empty()) out["failure"] = s.failure;
  if (s.prediction) {
    if (!s.prediction->system.empty()) out["system"] = s.prediction->system;
    out["limit"] = limit_text(s);
    out["advice"] = advice_phrase(*s.prediction);
  }
  out["assertions"] = Json::array();
  for (const CheckedAssertion& a : s.assertions)
    out["assertions"].push_back(assertion_object(s, a));
  out["metrics"] = Json::object();
  if (s.prediction)
    for (const auto& [name, metric] : s.prediction->metrics)
      out["metrics"][name] = {{"value", metric.value}, {"unit", metric.unit}};
  out["faults"] = Json::array();
  for (const Diagnostic& d : s.faults)
    if (d.severity == Severity::error)
      out["faults"].push_back({{"code", d.code},
                               {"pointer", d.pointer},
                               {"at", place_json(d.position)},
                               {"message", d.message},
                               {"hint", d.hint}});
  out["warnings"] = warnings_of(s);
  return out;
}

}  // namespace

std::string check_json(const CheckReport& report, const CheckContext& context) {
  const CheckCounts n = count(report);
  std::string profile;
  for (const CheckedScenario& s : report.scenarios) profile = s.profile_sha256;
  Json out;
  out["schema"] = "stallcast.check/1";
  out["tool"] = tool_object(context.tool, profile);
  out["verdict"] = verdict_word(report);
  out["headline"] = counts_text(report);
  out["exit"] = report.exit_code();
  out["counts"] = {
      {"passed", n.passed},        {"failed", n.failed}, {"inconclusive", n.inconclusive},
      {"warned", n.warned},        {"waived", n.waived}, {"known", n.known},
      {"not_predicted", n.broken}, {"unsure", n.unsure}, {"wrong", n.wrong},
      {"stale", n.stale}};
  out["stale"] = report.stale;
  if (!report.idle_rules.empty()) out["idle_rules"] = report.idle_rules;
  out["scenarios"] = Json::array();
  for (const CheckedScenario& s : report.scenarios) out["scenarios"].push_back(scenario_object(s));
  if (context.style.timing) out["wall_s"] = report.wall_s;
  return dump(out);
}

}  // namespace stallcast::report
