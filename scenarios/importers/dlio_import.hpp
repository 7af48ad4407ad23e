#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/jsonc.hpp"
#include "scenarios/importers/importer_parts.hpp"
#include "scenarios/importers/yaml_fields.hpp"

namespace stallcast::scenarios {

/// Shape and layout of the model, with DLIO's defaults.
struct Transformer {
  std::int64_t vocabulary = 32000, hidden = 2048, ffn_hidden = 8192;
  std::int64_t heads = 32, kv_heads = 8, layers = 1;
  double model_bytes = 2, optimizer_bytes = 4;  ///< per element, by datatype
  std::int64_t tensor = 1, pipeline = 1;
  std::int64_t zero_stage = 0;
};

/// One import of a DLIO workload, used by dlio.cpp alone: what the file and the options say, as far
/// as it is known, and the scenario made from it. The parts about data and checkpoints are in
/// dlio_workload.cpp, what DLIO itself costs in dlio_program.cpp.
class DlioImport : private ScenarioImport {
 public:
  DlioImport(const std::string& text, const std::string& file, const ImportOptions& options);
  /// The outcome; to be called once.
  ImportResult run() &&;

 private:
  void convert();
  void read_shape();
  void add_cluster();
  void add_storage();
  void add_training(base::Json& job);
  void add_saving_only(base::Json& job);
  void add_dataset(base::Json& job);
  void add_access(base::Json& dataset, const std::string& kind, std::int64_t per_file);
  void add_sample_size(base::Json& dataset);
  void add_loader(base::Json& job);
  void add_costs(base::Json& job);
  void add_checkpoint(base::Json& job);
  void add_interval(base::Json& checkpoint);
  /// Of a scenario without checkpoints: what was said of them became nothing.
  void unmap_checkpoint();
  void add_target();
  void note_the_rest();

  // Reading: the value if the file has it (noted as mapped), or DLIO's default (noted as such).
  double number(std::string_view key, double fallback, std::string_view target,
                std::string_view text = {});
  std::int64_t whole(std::string_view key, std::int64_t fallback, std::string_view target,
                     std::string_view text = {}, std::int64_t least = 0);
  /// a x b, both at least 1; a fault of `key` where that is beyond what a scenario counts.
  std::int64_t product(std::string_view key, std::int64_t a, std::int64_t b);
  /// Mean and standard deviation of a time that is a number or a distribution.
  std::pair<double, double> time(const std::string& key, std::string_view target);

  void warn(std::string_view code, std::string_view key, std::string message,
            std::string hint = {}) {
    add(Severity::warning, code, key, std::move(message), std::move(hint));
  }
  void fail(std::string_view code, std::string_view key, std::string message,
            std::string hint = {}) {
    add(Severity::error, code, key, std::move(message), std::move(hint));
  }
  void add(Severity severity, std::string_view code, std::string_view key, std::string message,
           std::string hint) {
    const auto it = fields_.all().find(key);
    const Position where = it == fields_.all().end() ? Position{file_, 0, 0} : it->second.position;
    diags().add(
        {severity, std::string(code), pointer_of(key), where, std::move(message), std::move(hint)});
  }

  const std::string& file_;
  const ImportOptions& options_;
  YamlFields fields_;
  bool old_spelling_ = false;
  bool has_transformer_ = false;
  Transformer shape_;
  std::string storage_id_;
  std::string host_id_ = "gpu";
  std::int64_t accelerators_ = 0, batch_ = 1, samples_ = 0, epochs_ = 1;
};

}  // namespace stallcast::scenarios
