#include <nlohmann/json.hpp>

#include "engine/base/quantity_text.hpp"
#include "ui/report/check/finding.hpp"
#include "ui/report/check/kinds.hpp"
#include "ui/report/renderers.hpp"

/// The custom formats of github-action-benchmark. A file there has one direction for all its
/// figures and an improvement the other way raises an alarm, so there is a kind for each.
namespace stallcast::report {
namespace {

std::string figures(const CheckReport& report, bool bigger) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const CheckedScenario& s : report.scenarios)
    for (const CheckedAssertion& a : s.assertions) {
      const bool higher = a.better == "higher";
      if (higher != bigger) continue;
      nlohmann::ordered_json item = {{"name", s.id + " / " + a.outcome.id},
                                     {"unit", a.outcome.unit},
                                     {"value", a.outcome.value}};
      if (a.outcome.ci95)
        item["range"] = base::shortest((a.outcome.ci95->second - a.outcome.ci95->first) / 2);
      item["extra"] = a.outcome.that + "\n" + s.uri + "\n" + std::string(status_name(a.status));
      out.push_back(std::move(item));
    }
  return dump(out);
}

}  // namespace

std::string check_benchmark(const CheckReport& report, const CheckContext&) {
  return figures(report, false);
}

std::string check_benchmark_bigger(const CheckReport& report, const CheckContext&) {
  return figures(report, true);
}

}  // namespace stallcast::report
