#include <functional>

#include "engine/base/quantity_text.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"

/// Prometheus text format, for the textfile collector or a push gateway. Values are in SI units.
namespace stallcast::report {
namespace {

std::string label(std::string_view name, std::string_view value) {
  std::string out = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string scenario_labels(const CheckedScenario& s) {
  return label("scenario", s.id) + "," + label("path", s.uri);
}

std::string assertion_labels(const CheckedScenario& s, const CheckedAssertion& a) {
  return scenario_labels(s) + "," + label("assertion", a.outcome.id) + "," +
         label("level", a.outcome.level);
}

std::string sample(const char* family, const std::string& labels, double value) {
  return std::string(family) + "{" + labels + "} " + base::shortest(value) + "\n";
}

std::string head(const char* family, const char* help) {
  return "# HELP " + std::string(family) + " " + help + "\n# TYPE " + family + " gauge\n";
}

/// One line of every assertion for which `value` has one.
std::string family(const char* name, const char* help, const CheckReport& report,
                   const std::function<std::optional<double>(const CheckedAssertion&)>& value) {
  std::string out;
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      if (const auto v = value(a))
        out += sample(name, assertion_labels(s, a) + "," + label("unit", a.outcome.unit), *v);
  return out.empty() ? out : head(name, help) + out;
}

}  // namespace

std::string check_prom(const CheckReport& report, const CheckContext& context) {
  std::string out;
  out += head("stallcast_check_info", "Versions that made the predictions.");
  out += sample(
      "stallcast_check_info",
      label("version", context.tool.version) + "," + label("models", context.tool.model_version),
      1);
  out += head("stallcast_check_exit_code", "Exit code of the check: 0 when all assertions hold.");
  out += "stallcast_check_exit_code " + std::to_string(static_cast<int>(report.exit)) + "\n";
  out += head("stallcast_check_stale", "Reasons why the baseline no longer fits.");
  out += "stallcast_check_stale " + std::to_string(report.stale.size()) + "\n";
  if (!report.scenarios.empty())
    out += head("stallcast_check_predicted", "1 when the scenario could be predicted.");
  for (const CheckedScenario& s : report.scenarios)
    out += sample("stallcast_check_predicted", scenario_labels(s), s.predicted() ? 1 : 0);
  const char* kStatus = "stallcast_check_status";
  std::string states;
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions)
      states +=
          sample(kStatus, assertion_labels(s, a) + "," + label("status", status_name(a.status)), 1);
  if (!states.empty())
    out += head(kStatus, "The status of each assertion, as a label; the value is 1.") + states;
  out += family("stallcast_check_ok", "1 when the assertion holds or its failure is accepted.",
                report, [](const CheckedAssertion& a) { return a.is_open() ? 0.0 : 1.0; });
  out += family("stallcast_check_value", "Predicted value of the metric of an assertion.", report,
                [](const CheckedAssertion& a) { return a.outcome.value; });
  out += family("stallcast_check_limit", "Limit of an assertion; of a range, its lower end.",
                report, [](const CheckedAssertion& a) { return a.outcome.limit; });
  out += family("stallcast_check_baseline", "Value in the baseline.", report,
                [](const CheckedAssertion& a) { return a.before; });
  return out;
}

}  // namespace stallcast::report
