#include "scenarios/importers/dlio.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/dlio_import.hpp"
#include "scenarios/importers/dlio_keys.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

constexpr std::string_view kWrapper = "workload";
/// Of one sort of parallelism: three of them make a number that can be counted.
constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 53U;

constexpr const char* kNoCheckpoint = "checkpoints are left out";

}  // namespace

DlioImport::DlioImport(const std::string& text, const std::string& file,
                       const ImportOptions& options)
    : file_(file), options_(options), fields_(text, file, kWrapper, diags()) {
  for (const std::string& assignment : options.overrides)
    fields_.set(assignment, kWrapper, diags());
  old_spelling_ = fields_.has("dataset.record_length");
  for (const RenamedKey& renamed : renamed_dlio_keys())
    fields_.alias(renamed.old_key, renamed.key, diags());
}

ImportResult DlioImport::run() && {
  if (!diags().has_errors()) convert();
  return std::move(*this).ended();
}

double DlioImport::number(std::string_view key, double fallback, std::string_view target,
                          std::string_view text) {
  const std::optional<double> value = fields_.number(key, diags());
  const double used = value.value_or(fallback);
  note(value ? FieldFate::mapped : FieldFate::defaulted, key, base::shortest(used), target,
       value ? text : "DLIO's default");
  return used;
}

std::int64_t DlioImport::whole(std::string_view key, std::int64_t fallback, std::string_view target,
                               std::string_view text, std::int64_t least) {
  const std::optional<std::int64_t> value = fields_.whole(key, diags());
  const std::int64_t used = value.value_or(fallback);
  if (used < least)
    fail("value", key, "\"" + std::string(key) + "\" must be at least " + std::to_string(least));
  note(value ? FieldFate::mapped : FieldFate::defaulted, key, std::to_string(used), target,
       value ? text : "DLIO's default");
  return std::max(used, least);
}

std::int64_t DlioImport::product(std::string_view key, std::int64_t a, std::int64_t b) {
  if (a <= kMostCounted / b) return a * b;
  fail("value", key, "\"" + std::string(key) + "\" makes more than can be counted");
  return kMostCounted;
}

std::pair<double, double> DlioImport::time(const std::string& key, std::string_view target) {
  const auto part = [&](std::string_view name) {
    return fields_.number(key + "." + std::string(name), diags());
  };
  const std::string type = fields_.text(key + ".type", diags()).value_or("normal");
  std::optional<double> mean = fields_.number(key, diags());
  std::optional<double> stdev = fields_.number(key + "_stdev", diags());
  std::string text = "in seconds";
  if (!mean && type == "normal") {
    mean = part("mean");
    if (const std::optional<double> inner = part("stdev")) stdev = inner;
  } else if (!mean) {
    // Moments of the distributions DLIO draws from.
    const std::optional<double> low = part("min"), high = part("max"), shape = part("shape"),
                                scale = part("scale"), lambda = part("lam");
    if (type == "uniform" && low && high) {
      mean = (*low + *high) / 2;
      stdev = (*high - *low) / std::sqrt(12.0);
    } else if (type == "gamma" && shape && scale) {
      mean = *shape * *scale;
      stdev = std::sqrt(*shape) * *scale;
    } else if (type == "exponential" && scale) {
      mean = stdev = scale;
    } else if (type == "poisson" && lambda) {
      mean = lambda;
      stdev = std::sqrt(*lambda);
    } else {
      fail("value", key + ".type", "\"" + type + "\" is not a complete distribution of time",
           "normal, uniform, gamma, exponential, poisson");
    }
    text = "mean of the " + type + " distribution, in seconds";
  }
  if ((mean && *mean < 0) || (stdev && *stdev < 0)) fail("value", key, "a time cannot be negative");
  note(mean ? FieldFate::mapped : FieldFate::defaulted, key, base::shortest(mean.value_or(0.0)),
       target, mean ? text : "DLIO's default");
  return {mean.value_or(0.0), stdev.value_or(0.0)};
}

void DlioImport::convert() {
  const bool train = fields_.boolean("workflow.train", diags()).value_or(true);
  const bool save = fields_.boolean("workflow.checkpoint", diags()).value_or(false);
  if (fields_.boolean("workflow.evaluation", diags()).value_or(false))
    warn("not-modelled", "workflow.evaluation", "evaluation passes are left out");
  note(FieldFate::mapped, "workflow",
       std::string(train ? "train" : "") + (save ? (train ? ", checkpoint" : "checkpoint") : ""),
       "jobs[train]");
  if (!train && !save)
    return fail("workflow", "workflow.train", "this workload neither trains nor saves checkpoints",
                "a file that only generates data has nothing to predict");

  const std::string name =
      fields_.text("model.name", diags()).value_or(std::filesystem::path(file_).stem().string());
  scenario_["id"] = identifier(name);
  note(fields_.has("model.name") ? FieldFate::mapped : FieldFate::defaulted, "model.name", name,
       "id", fields_.has("model.name") ? "" : "name of the file");
  read_shape();
  add_storage();
  add_cluster();

  Json job;
  job["id"] = "train";
  job["hosts"] = host_id_;
  job["accelerators"] = accelerators_;
  if (train)
    add_training(job);
  else
    add_saving_only(job);
  if (save) add_checkpoint(job);
  if (save && !job.contains("checkpoint")) unmap_checkpoint();
  scenario_["jobs"] = Json::array({job});
  if (train) add_target();
  note_the_rest();
}

void DlioImport::unmap_checkpoint() {
  for (FieldNote& field : result_.fields) {
    if (field.source == "workflow") field.value = "train";
    if (!field.target.starts_with("jobs[train].checkpoint")) continue;
    field.fate = FieldFate::ignored;
    field.target.clear();
    field.note = kNoCheckpoint;
  }
  for (const auto& [key, field] : fields_.all())
    if (field.used && (key.starts_with("checkpoint.") || key == "workflow.checkpoint"))
      if (std::none_of(result_.fields.begin(), result_.fields.end(),
                       [&, &key = key](const FieldNote& n) { return n.source == key; }))
        note(FieldFate::ignored, key, field.text, "", kNoCheckpoint);
}

void DlioImport::read_shape() {
  has_transformer_ =
      fields_.has("model.transformer.hidden_size") || fields_.has("model.num_layers");
  const auto take = [&](std::string_view key, std::int64_t& member, std::string_view target,
                        std::int64_t least = 1) {
    const std::optional<std::int64_t> value = fields_.whole(key, diags());
    if (!value) return;
    const bool degree = key.starts_with("model.parallelism.");
    if (*value < least || (degree && *value > kMostRanks))
      fail("value", key,
           "\"" + std::string(key) + "\" must be at least " + std::to_string(least) +
               (degree ? " and at most " + std::to_string(kMostRanks) : ""));
    else
      member = *value;
    note(FieldFate::mapped, key, std::to_string(*value), target);
  };
  take("model.transformer.vocab_size", shape_.vocabulary, "jobs[train].model.shape.vocabulary");
  take("model.transformer.hidden_size", shape_.hidden, "jobs[train].model.shape.hidden");
  take("model.transformer.ffn_hidden_size", shape_.ffn_hidden, "jobs[train].model.shape.ffn");
  take("model.transformer.num_attention_heads", shape_.heads, "jobs[train].model.shape.heads");
  take("model.transformer.num_kv_heads", shape_.kv_heads, "jobs[train].model.shape.kv_heads");
  take("model.num_layers", shape_.layers, "jobs[train].model.shape.layers");
  take("model.parallelism.tensor", shape_.tensor, "jobs[train].parallel.tensor");
  take("model.parallelism.pipeline", shape_.pipeline, "jobs[train].parallel.pipeline");
  take("model.parallelism.zero_stage", shape_.zero_stage, "jobs[train].checkpoint.layout", 0);
  std::int64_t data = -1;  // it follows from the ranks
  take("model.parallelism.data", data, "jobs[train].accelerators", -1);
  const auto bytes = [&](std::string_view key, double& member) {
    const std::optional<std::string> type = fields_.text(key, diags());
    if (!type) return;
    if (*type == "fp32")
      member = 4;
    else if (*type == "fp16" || *type == "bf16")
      member = 2;
    else if (*type == "int8" || *type == "uint8")
      member = 1;
    else
      fail("value", key, "\"" + *type + "\" is not a datatype", "fp32, fp16, bf16, int8, uint8");
    note(FieldFate::mapped, key, *type, "jobs[train].model.state");
  };
  bytes("model.model_datatype", shape_.model_bytes);
  bytes("model.optimizer_datatype", shape_.optimizer_bytes);

  // DLIO derives the data parallelism from the number of ranks unless the file fixes it.
  const std::int64_t replica = shape_.tensor * shape_.pipeline;
  accelerators_ = options_.accelerators.value_or(data > 0 ? replica * data : replica);
  if (!options_.accelerators && !has_transformer_) accelerators_ = 8;
  if (!options_.accelerators)
    warn("placeholder", "",
         "the file does not say how many accelerators there are; " + std::to_string(accelerators_) +
             " is a placeholder",
         "give --accelerators N");
  if (has_transformer_ && accelerators_ % replica != 0)
    fail("accelerators", "model.parallelism",
         std::to_string(accelerators_) +
             " accelerators are not a multiple of tensor x pipeline = " + std::to_string(replica));
}

void DlioImport::add_cluster() {
  const bool described = scenario_.contains("cluster");
  if (described && !options_.hosts) return;
  const std::int64_t hosts = options_.hosts.value_or(1);
  if (!options_.hosts)
    warn("placeholder", "", "the file does not say how many hosts there are; 1 is a placeholder",
         "give --hosts N");
  if (!described) scenario_["cluster"]["hosts"] = Json::array({Json{{"id", host_id_}}});
  Json& host = scenario_["cluster"]["hosts"][0];
  host["count"] = hosts;
  const std::int64_t gpus = accelerators_ / hosts + (accelerators_ % hosts > 0 ? 1 : 0);
  host["gpus"] = gpus;
  if (gpus * hosts != accelerators_)
    warn("uneven", "",
         std::to_string(accelerators_) + " GPUs do not fill " + std::to_string(hosts) +
             " hosts evenly: each has " + std::to_string(gpus) + ", and the job uses " +
             std::to_string(accelerators_) + " of " + std::to_string(gpus * hosts),
         "give as many hosts as divide the GPUs, or edit \"cluster\"");
  note(FieldFate::defaulted, "",
       std::to_string(hosts) + " hosts of " + std::to_string(gpus) + " GPUs", "cluster.hosts",
       described ? "from the options; the rest of a host from " + options_.storage_file
                 : "from the options; network and CPU are the defaults of a host");
}

void DlioImport::add_storage() {
  const TakenPlant taken = take_plant(options_, file_, scenario_, result_);
  storage_id_ = taken.storage;
  if (!taken.host.empty()) host_id_ = taken.host;
}

void DlioImport::note_the_rest() {
  std::vector<std::string> known;
  for (const IgnoredKey& row : ignored_dlio_keys()) known.emplace_back(row.key);
  std::set<std::string> noted;
  for (const FieldNote& field : result_.fields) {
    known.push_back(field.source);
    noted.insert(field.source);
  }
  for (const auto& item : fields_.all()) {
    const std::string& key = item.first;
    const YamlField& field = item.second;
    if (noted.contains(key)) continue;
    const std::string value = field.is_list ? base::join(field.list, ", ") : field.text;
    const auto rows = ignored_dlio_keys();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const IgnoredKey& r) {
      return r.key.ends_with('.') ? key.starts_with(r.key) : key == r.key;
    });
    if (row != rows.end()) {
      note(FieldFate::ignored, key, value, "", row->reason);
    } else if (field.used) {
      note(FieldFate::mapped, key, value, "", "together with another key");
    } else if (std::ranges::count(saving_dlio_keys(), key) > 0) {
      note(FieldFate::ignored, key, value, "", kNoCheckpoint);
    } else {
      note(FieldFate::ignored, key, value, "", "unknown key");
      const std::string near = base::nearest(key, known);
      warn("unknown-key", key, "\"" + key + "\" is not a key of DLIO and is left out",
           near.empty() ? "" : "did you mean \"" + near + "\"?");
    }
  }
}

ImportResult import_dlio(const std::string& text, const std::string& file,
                         const ImportOptions& options) {
  return DlioImport(text, file, options).run();
}

}  // namespace stallcast::scenarios
