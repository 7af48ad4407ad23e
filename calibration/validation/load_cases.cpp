#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "calibration/measure/metric_text.hpp"
#include "calibration/measure/node_reader.hpp"
#include "calibration/validation/validate.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::calibration {
namespace {

using base::Json;

constexpr std::array<std::string_view, 6> kCaseFileKeys = {"$schema", "cases",  "id",
                                                           "note",    "source", "title"};
constexpr std::array<std::string_view, 7> kCaseKeys = {"id",  "measured", "note",   "scenario",
                                                       "set", "source",   "variant"};
/// Of all units a metric can have.
constexpr std::array<Dimension, 8> kMeasurable = {
    Dimension::ratio,   Dimension::time,   Dimension::bytes, Dimension::rate,
    Dimension::op_rate, Dimension::number, Dimension::money, Dimension::money_rate};

/// Reads one case file into `out`.
class CaseReader : NodeReader {
 public:
  /// All must outlive this.
  CaseReader(const base::JsonDocument& document, const CaseReading& how, LoadedCases& out)
      : NodeReader(document, out.diagnostics), how_(how), out_(out) {}

  void read(std::set<std::string>& ids) {
    const Json& root = document_.root;
    if (!root.is_object()) {
      error("type", "", "a case file is a JSON object", "start it with {");
      return;
    }
    if (!root.contains("cases") && (root.contains("cluster") || root.contains("storage") ||
                                    root.contains("jobs") || root.contains("extends"))) {
      error("type", "", "this is a scenario, not a file of cases",
            "list it under \"cases\" with what was measured (docs/validation.md), or \"stallcast "
            "run\" it");
      return;
    }
    check_keys(root, "", kCaseFileKeys, "a case file");
    out_.files.push_back({document_.file, text_of(root, "", "id", true),
                          text_of(root, "", "title", true), text_of(root, "", "source", false),
                          text_of(root, "", "note", false)});
    const auto cases = root.find("cases");
    if (cases == root.end() || !cases->is_array() || cases->empty()) {
      error(cases == root.end() ? "missing" : "type", cases == root.end() ? "" : "/cases",
            "\"cases\" takes a list of at least one case",
            R"(write "cases": [ { "id": ..., "scenario": ..., "measured": {...} } ])");
      return;
    }
    for (std::size_t i = 0; i < cases->size(); ++i)
      read_case((*cases)[i], "/cases" + base::pointer_token(i), ids);
  }

 private:
  void read_case(const Json& node, const std::string& at, std::set<std::string>& ids) {
    if (!node.is_object()) {
      error("type", at, "a case is an object", R"(write { "id": ..., "scenario": ... })");
      return;
    }
    check_keys(node, at, kCaseKeys, "a case");
    Case c;
    c.id = text_of(node, at, "id", true);
    c.source = text_of(node, at, "source", true);
    c.note = text_of(node, at, "note", false);
    if (!c.id.empty() && !ids.insert(c.id).second)
      error("duplicate-id", at + "/id", "there is already a case \"" + c.id + "\"",
            "give each case an id of its own");
    read_measured(node, at, c);
    const std::string scenario = text_of(node, at, "scenario", true);
    ScenarioFile file;
    file.variant = text_of(node, at, "variant", false);
    file.sets = texts_of(node, at, "set");
    file.sets.insert(file.sets.end(), how_.sets.begin(), how_.sets.end());
    if (scenario.empty()) return;
    c.scenario = file.file = beside(scenario);
    const Scenario read = Scenario::read(file, how_.profile);
    take_faults(read.diagnostics(), at, "scenario", "case \"" + c.id + "\"");
    if (!read.ok()) return;
    c.design = read.design();
    c.design.expect.clear();
    out_.cases.push_back(std::move(c));
  }

  void read_measured(const Json& node, const std::string& at, Case& c) {
    const auto measured = node.find("measured");
    if (measured == node.end() || !measured->is_object() || measured->empty()) {
      error(measured == node.end() ? "missing" : "type",
            measured == node.end() ? at : at + "/measured",
            "\"measured\" takes at least one metric and its value",
            R"(write "measured": { "job.train.au": "93.5 %" })");
      return;
    }
    for (const auto& [metric, value] : measured->items()) {
      const std::string pointer = at + "/measured" + base::pointer_token(metric);
      if (!value.is_string()) {
        error("unit", pointer, "\"" + metric + "\" takes a text with a unit, not " + value.dump(),
              value.is_number() ? written_in(value.get<double>(), metric::unit_said(metric))
                                : written_in(0.0, ""));
        continue;
      }
      const auto text = value.get<std::string>();
      // Whether the unit fits the metric shows with the prediction.
      const bool readable =
          std::any_of(kMeasurable.begin(), kMeasurable.end(), [&](Dimension dimension) {
            return base::parse_quantity(text, dimension).value.has_value();
          });
      if (!readable) {
        error("unit", pointer, "cannot read \"" + text + "\" as a quantity",
              "write \"93.5 %\", \"5.6 s\", \"708 /s\" or \"103 GB/s\"");
        continue;
      }
      c.measured.push_back({metric, text, pointer, base::locate(document_, pointer)});
    }
  }

  const CaseReading& how_;
  LoadedCases& out_;
};

}  // namespace

LoadedCases load_cases(const InputFiles& files, const CaseReading& how) {
  LoadedCases out;
  out.profile = how.profile;
  out.diagnostics = files.diagnostics;
  std::set<std::string> ids;
  for (const base::JsonDocument& document : files.documents)
    CaseReader(document, how, out).read(ids);
  return out;
}

}  // namespace stallcast::calibration
