#include "engine/decide/check/baseline.hpp"

#include <nlohmann/json.hpp>

#include "engine/base/jsonc.hpp"

namespace stallcast::check {
namespace {

using base::Json;

constexpr std::string_view kSchema = "stallcast.baseline/1";

Failure unreadable(const std::string& file, const std::string& why) {
  return {ExitCode::bad_input, "the baseline " + file + " cannot be read: " + why,
          "make a new one with \"stallcast check --baseline FILE --update-baseline\""};
}

/// A member that must be there; throws for nlohmann's handler below.
std::string text_of(const Json& json, const char* key) { return json.at(key).get<std::string>(); }

}  // namespace

std::string metric_name(const base::Assertion& assertion) {
  return assertion.statistic.empty() ? assertion.metric
                                     : assertion.statistic + "(" + assertion.metric + ")";
}

Result<Baseline> Baseline::read(std::string_view json, const std::string& file) {
  Diagnostics faults;
  const base::JsonDocument document = base::parse_jsonc(std::string(json), file, faults);
  if (faults.has_errors()) {
    const Diagnostic& first = faults.items().front();
    return unreadable(file, first.message + " in line " + std::to_string(first.position.line));
  }
  Baseline out;
  try {
    if (!document.root.is_object() || document.root.value("schema", Json()) != kSchema)
      return unreadable(file, "it is not a \"" + std::string(kSchema) + "\"");
    for (const Json& item : document.root.at("entries")) {
      BaselineEntry entry;
      entry.metric = text_of(item, "metric");
      entry.value = item.at("value").get<double>();
      entry.unit = text_of(item, "unit");
      entry.failed = item.at("failed").get<bool>();
      entry.model = text_of(item, "model");
      entry.design_sha256 = text_of(item, "sha256");
      out.entries_[{{text_of(item, "scenario"), text_of(item, "id")}, text_of(item, "assertion")}] =
          std::move(entry);
    }
  } catch (const Json::exception& error) {
    return unreadable(file, error.what());
  }
  return out;
}

std::string Baseline::text() const {
  std::string out = "{\n  \"schema\": \"" + std::string(kSchema) + "\",\n  \"entries\": [";
  const char* separator = "\n    ";
  for (const auto& [key, entry] : entries_) {
    const Json item = {
        {"scenario", key.scenario.path}, {"id", key.scenario.id}, {"assertion", key.assertion},
        {"metric", entry.metric},        {"value", entry.value},  {"unit", entry.unit},
        {"failed", entry.failed},        {"model", entry.model},  {"sha256", entry.design_sha256}};
    out += separator + item.dump();
    separator = ",\n    ";
  }
  return out + "\n  ]\n}\n";
}

const BaselineEntry* Baseline::find(const EntryKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void Baseline::set(const ScenarioKey& scenario, const Design& design, const Prediction& prediction,
                   std::string_view model) {
  drop(scenario);
  Diagnostics unknown;  // a metric that was not there then has no value then
  const predict::BaseValues none;
  for (const AssertionOutcome& o : predict::check(design, prediction, unknown, &none))
    if (const auto assertion = base::parse_assertion(o.that); assertion.ok() && o.is_known())
      entries_[{scenario, o.id}] = {
          metric_name(*assertion), o.value, o.unit, o.status == "fail", std::string(model),
          prediction.design_sha256};
}

void Baseline::drop(const ScenarioKey& scenario) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first.scenario == scenario; });
}

predict::BaseValues Baseline::values(const ScenarioKey& scenario) const {
  predict::BaseValues out;
  for (const auto& [key, entry] : entries_)
    if (key.scenario == scenario) out[key.assertion] = entry.value;
  return out;
}

}  // namespace stallcast::check
