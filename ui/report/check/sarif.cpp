#include <map>
#include <nlohmann/json.hpp>

#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/renderers.hpp"

/// SARIF 2.1.0 (OASIS standard): a result for every open or accepted failure. The place of a result
/// is the input that limits, since that is what to change; the assertion is a related place.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostResults = 5000;  // GitHub takes no more of a run

/// RFC 3986: what may be in a path stays, everything else is percent-encoded.
std::string encoded(const std::string& path) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=@/";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= 'a' && byte <= 'z') || kPlain.find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
  }
  return out;
}

Json location(const Position& at) {
  const bool absolute = at.file.starts_with('/');
  Json file = {{"uri", (absolute ? "file://" : "") + encoded(at.file)}};
  if (!absolute) file["uriBaseId"] = "%SRCROOT%";
  Json out = {{"artifactLocation", std::move(file)}};
  if (at.line > 0) {
    out["region"] = {{"startLine", at.line}};
    if (at.column > 0) out["region"]["startColumn"] = at.column;
  }
  return {{"physicalLocation", std::move(out)}};
}

/// Stable: by id, however many scenarios use it.
Json rule(const Finding& f) {
  Json out = {{"id", f.rule}};
  if (f.assertion == nullptr) {
    out["shortDescription"] = {{"text", "the scenario can be predicted (" + f.rule + ")"}};
    out["help"] = {{"text", "\"stallcast lint\" says what is wrong with a scenario."}};
    return out;
  }
  const AssertionOutcome& o = f.assertion->outcome;
  out["shortDescription"] = {{"text", o.that}};
  out["help"] = {{"text", (o.why.empty() ? "" : o.why + ". ") + "Asserted: " + o.that +
                              ". \"stallcast explain\" derives the value."}};
  out["defaultConfiguration"] = {{"level", o.level == "warn" ? "warning" : "error"}};
  return out;
}

Json result(const Finding& f) {
  Json out = {{"ruleId", f.rule},
              {"level", f.error ? "error" : "warning"},
              {"message", {{"text", f.message}}},
              {"locations", Json::array({location(f.at)})},
              {"partialFingerprints", {{"stallcast/v1", f.fingerprint}}}};
  if (f.assertion == nullptr) return out;
  const CheckedAssertion& a = *f.assertion;
  out["relatedLocations"] = Json::array({location(a.at)});
  out["relatedLocations"][0]["message"] = {{"text", "the assertion"}};
  if (a.state != BaselineState::absent) out["baselineState"] = state_name(a.state);
  return out;
}

/// A failure that is accepted is listed, too, with the reason: code scanning shows it as closed.
void add_accepted(const CheckReport& report, std::vector<Finding>& all) {
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      if (a.status == CheckStatus::waived || a.status == CheckStatus::known)
        all.push_back(finding_of(s, a));
}

}  // namespace

std::string check_sarif(const CheckReport& report, const CheckContext& context) {
  std::vector<Finding> all = findings(report);
  add_accepted(report, all);
  if (all.size() > kMostResults) all.resize(kMostResults);
  std::map<std::string, Json> rules;
  Json results = Json::array();
  for (const Finding& f : all) {
    rules.try_emplace(f.rule, rule(f));
    Json item = result(f);
    if (f.assertion != nullptr && !f.assertion->is_open()) {
      const bool waived = f.assertion->status == CheckStatus::waived;
      item["suppressions"] = Json::array(
          {{{"kind", "external"},
            {"status", "accepted"},
            {"justification", waived ? "until " + f.assertion->until + ": " + f.assertion->waive
                                     : std::string("it failed in the baseline, too")}}});
    }
    results.push_back(std::move(item));
  }
  Json driver = {{"name", "stallcast"},
                 {"semanticVersion", context.tool.version},
                 {"properties", {{"models", context.tool.model_version}}},
                 {"rules", Json::array()}};
  for (auto& [id, description] : rules) driver["rules"].push_back(std::move(description));
  Json notices = Json::array();
  for (const std::string& why : report.stale)
    notices.push_back({{"level", "warning"}, {"message", {{"text", "stale baseline: " + why}}}});
  for (const std::string& rule : report.idle_rules)
    notices.push_back({{"level", "note"}, {"message", {{"text", idle_rule_text(rule)}}}});
  Json invocation = {{"executionSuccessful", report.exit != ExitCode::internal},
                     {"exitCode", static_cast<int>(report.exit)}};
  if (!notices.empty()) invocation["toolExecutionNotifications"] = std::move(notices);
  const Json run = {{"tool", {{"driver", std::move(driver)}}},
                    {"automationDetails", {{"id", "stallcast/" + context.tag + "/"}}},
                    {"invocations", Json::array({std::move(invocation)})},
                    {"results", std::move(results)}};
  return dump({{"$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                "sarif-schema-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({run})}});
}

}  // namespace stallcast::report
