#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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

/// What a rule says of one finding.
struct RuleText {
  std::string title, help;
  bool error = true;
  bool asserted = false;
  bool operator==(const RuleText&) const = default;
};

RuleText rule_text(const Finding& f) {
  if (f.assertion == nullptr)
    return {"the scenario can be predicted (" + f.rule + ")",
            "\"stallcast lint\" says what is wrong with a scenario."};
  const AssertionOutcome& o = f.assertion->outcome;
  return {o.that,
          (o.why.empty() ? "" : o.why + ". ") + "Asserted: " + o.that +
              ". \"stallcast explain\" derives the value.",
          o.level != "warn", true};
}

/// A rule goes by its id, however many designs have one of that id, so that what is known of it
/// elsewhere stays. Where designs mean different things by it, it says what each of them does.
struct Rule {
  struct Meant {
    RuleText text;
    std::string first;       ///< of the designs that mean this
    std::size_t others = 0;  ///< findings of such
  };
  std::vector<Meant> meant;

  void add(const Finding& f) {
    const RuleText text = rule_text(f);
    const auto known = std::ranges::find(meant, text, &Meant::text);
    if (known == meant.end())
      meant.push_back({text, f.scenario->id + " (" + f.scenario->uri + ")"});
    else
      ++known->others;
  }

  [[nodiscard]] Json json(const std::string& id) const {
    constexpr std::size_t kMostTold = 20;
    RuleText all = meant.front().text;
    if (meant.size() > 1) {
      all = {id + ": see the finding, as designs differ in what they ask for", "", false};
      for (std::size_t i = 0; i < meant.size(); ++i) {
        const auto& [text, first, others] = meant[i];
        all.error = all.error || text.error;
        all.asserted = all.asserted || text.asserted;
        if (i < kMostTold)
          all.help += (i > 0 ? "\n" : "") + first +
                      (others > 0 ? " and " + std::to_string(others) + " more" : "") + ": " +
                      (text.asserted ? text.help : text.title + ". " + text.help);
      }
      if (meant.size() > kMostTold)
        all.help += "\nand " + std::to_string(meant.size() - kMostTold) + " more.";
    }
    Json out = {
        {"id", id}, {"shortDescription", {{"text", all.title}}}, {"help", {{"text", all.help}}}};
    if (all.asserted) out["defaultConfiguration"] = {{"level", all.error ? "error" : "warning"}};
    return out;
  }
};

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
  std::map<std::string, Rule> rules;
  Json results = Json::array();
  for (const Finding& f : all) {
    rules[f.rule].add(f);
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
  for (const auto& [id, rule] : rules) driver["rules"].push_back(rule.json(id));
  Json notices = Json::array();
  for (const std::string& why : report.stale)
    notices.push_back({{"level", "warning"}, {"message", {{"text", "stale baseline: " + why}}}});
  for (const std::string& rule : report.idle_rules)
    notices.push_back({{"level", "note"}, {"message", {{"text", idle_rule_text(rule)}}}});
  Json invocation = {{"executionSuccessful", report.exit != ExitCode::internal},
                     {"exitCode", report.exit_code()}};
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
