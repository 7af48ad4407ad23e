#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "engine/base/quantity_text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"

/// Prometheus text format, for the textfile collector or a push gateway. Values are in base units,
/// which names end with, as OpenMetrics asks for. docs/guide/ci.md.
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

/// How a unit of metrics is said at the end of a name.
struct UnitName {
  std::string_view unit, suffix;
  bool in_base = false;  ///< values are told in the base unit
};
constexpr std::array kUnitNames{UnitName{"s", "_seconds"},
                                UnitName{"B", "_bytes"},
                                UnitName{"ratio", "_ratio"},
                                UnitName{"B/s", "_bytes_per_second"},
                                UnitName{"1/s", "_per_second"},
                                UnitName{"USD", "_usd"},
                                UnitName{"USD/h", "_usd_per_hour"},
                                UnitName{"kWh", "_joules", true},
                                UnitName{"W", "_watts"}};

/// "stallcast_checkpoint_stall_seconds": figures of jobs have no word for their domain.
std::string family_name(const metric::Figure& figure, std::string_view domain,
                        const UnitName& unit) {
  std::string out = "stallcast_" + std::string(domain) + (domain.empty() ? "" : "_");
  for (const char c : figure.key) out += c == '.' ? '_' : c;
  const auto cut = [&](std::string_view end, std::string_view by) {
    if (out.ends_with(end)) out.replace(out.size() - end.size(), end.size(), by);
  };
  if (unit.suffix.starts_with("_bytes")) cut("_bytes", "");  // "throughput.bytes"
  out += unit.suffix;
  cut("_count", "_number");  // of histograms and summaries alone
  return out;
}

struct Samples {
  std::string help, lines;
};
using Families = std::map<std::string, Samples>;

void add_figure(const CheckedScenario& s, const std::string& full, const Metric& m, Families& out) {
  const metric::Name name = metric::parse(full);
  const std::string domain = full.substr(0, full.find('.'));
  const bool of_job = name.domain == metric::Domain::job;
  std::string labels = scenario_labels(s);
  if (!name.id.empty()) labels += "," + label(domain, name.id);
  if (name.domain == metric::Domain::resource) {
    if (name.figure != "utilization" || !name.statistic.empty()) return;
    Samples& to = out["stallcast_resource_utilization_ratio"];
    to.help = "Use of the capacity of a resource, mean over the run.";
    to.lines += sample("stallcast_resource_utilization_ratio", labels, m.value);
    return;
  }
  const metric::Figure* figure = metric::find(full);
  if (figure == nullptr || m.unit == "d") return;  // days of a run are its seconds
  const auto unit = std::ranges::find(kUnitNames, m.unit, &UnitName::unit);
  const UnitName plain{"", ""};
  const UnitName& said = unit == kUnitNames.end() ? plain : *unit;
  const std::string family = family_name(*figure, of_job ? "" : domain, said);
  const bool spread = s.prediction->metrics.contains(full + ".p50");
  if (spread || !name.statistic.empty())
    labels += "," + label("stat", name.statistic.empty() ? "mean" : name.statistic);
  Samples& to = out[family];
  to.help = std::string(figure->name_alone()) + ", as predicted.";
  to.lines +=
      sample(family.c_str(), labels, said.in_base ? metric::to_base(m.value, m.unit) : m.value);
}

/// Figures of all predictions, whether an assertion is about them or not.
std::string figures(const CheckReport& report) {
  constexpr const char* kShares = "stallcast_time_share_ratio";
  Families families;
  for (const CheckedScenario& s : report.scenarios) {
    if (!s.prediction) continue;
    for (const auto& [full, m] : s.prediction->metrics) add_figure(s, full, m, families);
    for (const auto& [job, shares] : s.prediction->breakdown)
      for (const char* cause : kBreakdownCauses)
        if (const auto share = shares.find(cause); share != shares.end()) {
          families[kShares].help =
              "Share of the time of a job that goes to a cause; they sum to 1.";
          families[kShares].lines += sample(
              kShares, scenario_labels(s) + "," + label("job", job) + "," + label("cause", cause),
              share->second);
        }
  }
  std::string out;
  for (const auto& [name, samples] : families)
    out += head(name.c_str(), samples.help.c_str()) + samples.lines;
  return out;
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
  out += "stallcast_check_exit_code " + std::to_string(report.exit_code()) + "\n";
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
  return out + figures(report);
}

}  // namespace stallcast::report
