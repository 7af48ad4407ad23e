#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "scenarios/importers/dlio.hpp"
#include "stallcast/scenario.hpp"

/// Workloads of DLIO and what the tests of its importer ask of the outcome.
namespace stallcast::testing {

using namespace scenarios;
using base::Json;

inline const std::string kImages = R"(
model: {name: segmentation}
framework: pytorch
workflow: {generate_data: False, train: True}
dataset:
  format: npz
  num_files_train: 5600
  record_length_bytes: 146600628
  record_length_bytes_stdev: 68341808
reader:
  data_loader: pytorch
  batch_size: 7
  read_threads: 4
train:
  epochs: 5
  computation_time: 0.323
metric: {au: 0.9}
)";

inline const std::string kSaves = R"(
workflow: {train: False, checkpoint: True}
model:
  name: big
  num_layers: 32
  model_datatype: fp16
  optimizer_datatype: fp32
  parallelism: {tensor: 1, pipeline: 1, zero_stage: 3}
  transformer: {vocab_size: 128256, hidden_size: 4096, ffn_hidden_size: 14336, num_attention_heads: 32, num_kv_heads: 8}
checkpoint: {time_between_checkpoints: 5, num_checkpoints_write: 10, fsync: True}
)";

inline ImportResult import(const std::string& text, std::vector<std::string> overrides = {}) {
  ImportOptions options;
  options.hosts = 2;
  options.accelerators = 16;
  options.overrides = std::move(overrides);
  return import_dlio(text, "w.yaml", options);
}

inline Json scenario(const ImportResult& result) {
  INFO((result.diagnostics.items().empty() ? "" : result.diagnostics.items()[0].message));
  REQUIRE_FALSE(result.scenario.empty());
  return Json::parse(result.scenario);
}

inline Json job(const ImportResult& result) { return scenario(result)["jobs"][0]; }

inline double in_base(const Json& text, Dimension dimension) {
  const base::ParsedQuantity parsed = base::parse_quantity(text.get<std::string>(), dimension);
  INFO(parsed.message);
  REQUIRE(parsed.value.has_value());
  return *parsed.value;
}

inline bool has(const ImportResult& result, Severity severity, std::string_view code) {
  const auto& items = result.diagnostics.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Diagnostic& d) { return d.severity == severity && d.code == code; });
}

inline const Diagnostic& first_error(const ImportResult& result) {
  const auto& items = result.diagnostics.items();
  const auto it = std::find_if(items.begin(), items.end(),
                               [](const Diagnostic& d) { return d.severity == Severity::error; });
  REQUIRE(it != items.end());
  return *it;
}

/// Errors the scenario reader finds in what was imported.
inline std::vector<std::string> faults_of_loading(const ImportResult& result) {
  std::vector<std::string> out;
  const Scenario loaded = Scenario::read({.file = "imported.json", .text = result.scenario});
  for (const Diagnostic& d : loaded.diagnostics().items())
    if (d.severity == Severity::error) out.push_back(d.pointer + ": " + d.message);
  return out;
}

inline const FieldNote* note(const ImportResult& result, std::string_view source) {
  for (const FieldNote& field : result.fields)
    if (field.source == source) return &field;
  return nullptr;
}

}  // namespace stallcast::testing
