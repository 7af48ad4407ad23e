#include "engine/base/quantity_text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

std::string title(const Explanation& e) {
  return e.metric.empty() ? e.scenario_id : e.scenario_id + ", " + e.metric;
}

}  // namespace

std::string explanation_text(const Explanation& e, const Context& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = ink.bold(title(e)) + "\n";
  if (!e.derived.empty()) out += "\n" + ink.bold("Derived without simulating") + "\n";
  for (const DerivedLine& d : e.derived) {
    out += wrapped("  ", d.name + " = " + d.value, 6);
    if (!d.formula.empty()) out += wrapped("      ", d.formula, 8);
  }
  if (!e.inputs.empty()) out += "\n" + ink.bold("Inputs, and who set them") + "\n";
  for (const InputLine& i : e.inputs) {
    out += wrapped("  ", i.path + " = " + i.value, 6);
    out += wrapped("      ", i.source, 8);
  }
  if (!e.prediction.has_value()) return out;
  if (e.metric.empty()) {
    out += "\n" + ink.bold("Simulated") + "\n\n";
    return out + prediction_text(*e.prediction, context, style);
  }
  out += "\n" + ink.bold("Simulated") + "\n";
  for (const auto& [name, metric] : e.prediction->metrics)
    if (name == e.metric || name.starts_with(e.metric + "."))
      out += wrapped("  ", name + " = " + print_metric(metric), 6);
  for (const Bottleneck& b : e.prediction->bottlenecks)
    if (b.blamed_share > 0.0)
      out += wrapped("  ",
                     "waiting for " + b.resource + ": " + print_value(b.blamed_share, "ratio") +
                         " of all waiting, " + b.headroom,
                     6);
  return out;
}

std::string explanation_json(const Explanation& e, const Context& context, const Style& style) {
  Json out;
  out["schema"] = "stallcast.explain/1";
  out["tool"] = tool_object(context, "");
  out["scenario"] = {{"id", e.scenario_id}};
  out["metric"] = e.metric.empty() ? Json(nullptr) : Json(e.metric);
  out["derived"] = Json::array();
  for (const DerivedLine& d : e.derived)
    out["derived"].push_back(
        {{"name", d.name}, {"value", d.number}, {"unit", d.unit}, {"formula", d.formula}});
  out["inputs"] = Json::array();
  for (const InputLine& i : e.inputs)
    out["inputs"].push_back({{"path", i.path}, {"value", i.value}, {"source", i.source}});
  out["result"] =
      e.prediction.has_value() ? result_object(*e.prediction, context, style) : Json(nullptr);
  return dump(out);
}

std::string explanation_csv(const Explanation& e) {
  std::string out = csv_row({"scenario", "kind", "name", "value", "source"});
  for (const DerivedLine& d : e.derived)
    out += csv_row({e.scenario_id, "derived", d.name, d.value, d.formula});
  for (const InputLine& i : e.inputs)
    out += csv_row({e.scenario_id, "input", i.path, i.value, i.source});
  return out;
}

std::string explanation_markdown(const Explanation& e, const Context& context) {
  std::string out = "## " + title(e) + "\n";
  if (!e.derived.empty()) out += "\n| derived | value | from |\n|---|---:|---|\n";
  for (const DerivedLine& d : e.derived)
    out +=
        "| " + markdown_cell(d.name) + " | " + d.value + " | " + markdown_cell(d.formula) + " |\n";
  if (!e.inputs.empty()) out += "\n| input | value | source |\n|---|---:|---|\n";
  for (const InputLine& i : e.inputs)
    out += "| " + markdown_cell(i.path) + " | " + markdown_cell(i.value) + " | " +
           markdown_cell(i.source) + " |\n";
  if (e.prediction.has_value() && e.metric.empty())
    out += "\n" + prediction_markdown(*e.prediction, context);
  return out;
}

}  // namespace stallcast::report
