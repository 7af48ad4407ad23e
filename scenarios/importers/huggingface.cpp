#include "scenarios/importers/huggingface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/importers/importer_parts.hpp"

namespace stallcast::scenarios {
namespace {

using base::Json;

/// What the families differ in, with the defaults of their configuration classes.
/// [transformers, configuration_*.py and modeling_*.py of each]
struct Family {
  std::string_view type;          ///< model_type
  std::string_view architecture;  ///< how "architectures" begins
  bool tied = false;              ///< tie_word_embeddings where the file does not say it
  bool qkv_bias = false;          ///< of queries, keys and values, always
  bool head_norms = false;        ///< of queries and keys, one vector of a head each
  double head = 0.0;              ///< head_dim where it is not hidden_size / heads
};
constexpr std::array kFamilies{
    Family{.type = "gemma", .architecture = "GemmaFor", .tied = true, .head = 256.0},
    Family{.type = "gpt2", .architecture = "GPT2", .tied = true},
    Family{.type = "llama", .architecture = "LlamaFor"},
    Family{.type = "mistral", .architecture = "MistralFor"},
    Family{.type = "mixtral", .architecture = "MixtralFor"},
    Family{.type = "phi3", .architecture = "Phi3For"},
    Family{.type = "qwen2", .architecture = "Qwen2For", .qkv_bias = true},
    Family{.type = "qwen2_moe", .architecture = "Qwen2MoeFor", .qkv_bias = true},
    Family{.type = "qwen3", .architecture = "Qwen3For", .head_norms = true, .head = 128.0},
    Family{.type = "qwen3_moe", .architecture = "Qwen3MoeFor", .head_norms = true}};

/// Keys that change no count; all others that are not read are said to be.
constexpr std::string_view kIdle =
    " _name_or_path activation_function attention_dropout attn_pdrop bos_token_id "
    "embd_pdrop eos_token_id hidden_act initializer_range layer_norm_epsilon "
    "max_position_embeddings max_window_layers norm_topk_prob output_router_logits "
    "pad_token_id pretraining_tp resid_pdrop rms_norm_eps rope_scaling rope_theta "
    "router_aux_loss_coef sliding_window transformers_version use_cache use_sliding_window ";

constexpr double kLargest = 1e9;               // of one size
constexpr double kExact = 9007199254740992.0;  // 2^53: counts beyond it are not whole
constexpr double kBytesEach = 14.0;            // docs/models/checkpoint.md, eq. 1
constexpr double kTokens = 8192.0;             // placeholder: of one GPU and step
constexpr double kPeak = 989e12, kMfu = 0.4;   // defaults of a host and of steps from FLOPs

/// Sizes of a transformer. Of one without experts `experts` is 0.
struct Sizes {
  double vocabulary = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0, head = 0, ffn = 0;
  double experts = 0, top_k = 0, expert_ffn = 0, shared_ffn = 0, sparse_layers = 0;
  bool tied = false, qkv_bias = false, out_bias = false, mlp_bias = false, head_norms = false;
};

/// Parameters, with `experts` of those that a layer has.    [docs/reference/importers.md, eq. 1]
double count(const Sizes& s, double experts) {
  const double q = s.heads * s.head, kv = s.kv_heads * s.head, h = s.hidden;
  double attention = h * (q + 2 * kv) + q * h;
  if (s.qkv_bias) attention += q + 2 * kv;
  if (s.out_bias) attention += h;
  if (s.head_norms) attention += 2 * s.head;
  const double dense = 3 * h * s.ffn + (s.mlp_bias ? 2 * s.ffn + h : 0.0);
  const double shared = s.shared_ffn > 0.0 ? 3 * h * s.shared_ffn + h : 0.0;  // and its gate
  const double sparse = h * s.experts + experts * 3 * h * s.expert_ffn + shared;
  return (s.tied ? 1 : 2) * s.vocabulary * h + h + s.layers * (2 * h + attention) +
         (s.layers - s.sparse_layers) * dense + s.sparse_layers * sparse;
}

class ConfigImport : private ScenarioImport {
 public:
  ConfigImport(const std::string& text, const std::string& file, const ImportOptions& options)
      : options_(options), document_(base::parse_jsonc(text, file, result_.diagnostics)) {}

  ImportResult run() && {
    if (!diags().has_errors()) convert();
    return std::move(*this).ended();
  }

 private:
  void say(Severity severity, const char* code, const std::string& key, std::string message,
           std::string hint) {
    const std::string pointer = key.empty() ? "" : base::pointer_token(key);
    Position where = base::locate(document_, pointer);
    if (key.empty() && severity == Severity::warning) where = {document_.file, 0, 0};
    diags().add({severity, code, pointer, where, std::move(message), std::move(hint)});
  }

  [[nodiscard]] const Json* find(const char* key) const {
    const auto at = document_.root.find(key);
    return at == document_.root.end() || at->is_null() ? nullptr : &*at;
  }
  /// A size; 0 with a fault where it is none, or absent without a fallback.
  double size(const char* key, const char* target, std::optional<double> fallback = {},
              double least = 1.0) {
    const Json* value = find(key);
    if (value == nullptr && !fallback) {
      say(Severity::error, "missing", "", "\"" + std::string(key) + "\" is missing",
          "the parameters of " + std::string(family_->type) + " follow from it");
      return 0.0;
    }
    const double number = value == nullptr     ? *fallback
                          : value->is_number() ? value->get<double>()
                                               : -1.0;
    if (number < least || number > kLargest || number != std::floor(number)) {
      if (value != nullptr)
        say(Severity::error, "value", key, "\"" + std::string(key) + "\" is not a size",
            "a whole number from " + base::shortest(least) + " to " + base::shortest(kLargest));
      return 0.0;
    }
    note(value != nullptr ? FieldFate::mapped : FieldFate::defaulted, key, base::shortest(number),
         target, value != nullptr ? "" : "default of " + std::string(family_->type));
    return number;
  }
  bool flag(const char* key, bool fallback) {
    const Json* value = find(key);
    const bool given = value != nullptr && value->is_boolean();
    const bool is = given ? value->get<bool>() : fallback;
    note(given ? FieldFate::mapped : FieldFate::defaulted, key, is ? "true" : "false", kParameters,
         given ? "" : "default of " + std::string(family_->type));
    return is;
  }

  bool choose_family() {
    const Json *type = find("model_type"), *all = find("architectures");
    const bool listed = all != nullptr && all->is_array() && !all->empty() && (*all)[0].is_string();
    const std::string named = type != nullptr && type->is_string() ? type->get<std::string>() : "";
    const std::string architecture = listed ? (*all)[0].get<std::string>() : "";
    for (const Family& family : kFamilies)
      if (named.empty() ? architecture.starts_with(family.architecture) : named == family.type)
        family_ = &family;
    if (family_ != nullptr) {
      note(FieldFate::mapped, named.empty() ? "architectures" : "model_type",
           named.empty() ? architecture : named, kParameters, "which derivation");
      if (listed && !named.empty())
        note(FieldFate::ignored, "architectures", architecture, "", "\"model_type\" says it");
      return true;
    }
    std::vector<std::string> known;
    for (const Family& family : kFamilies) known.emplace_back(family.type);
    const bool unnamed = named.empty() && architecture.empty();
    say(Severity::error, "model",
        unnamed         ? ""
        : named.empty() ? "architectures"
                        : "model_type",
        unnamed ? "this is no config.json of a model: it has neither \"model_type\" nor "
                  "\"architectures\""
                : "there is no derivation of the parameters of \"" +
                      (named.empty() ? architecture : named) + "\"",
        "known: " + base::join(known, ", ") +
            "; of another give \"model\": { \"parameters\": \"70B\" } in a scenario");
    return false;
  }

  void read_gpt2() {
    const double h = size("n_embd", kParameters), inner = size("n_inner", kParameters, 4 * h);
    const double positions = size("n_positions", kParameters, 1024.0);
    const double layers = size("n_layer", kParameters), v = size("vocab_size", kParameters);
    const bool tied = flag("tie_word_embeddings", true);
    // Norms with a bias, one matrix for all of attention, and no gate.
    const double layer = 4 * h + h * 3 * h + 3 * h + h * h + h + 2 * h * inner + inner + h;
    all_ = active_ = v * h * (tied ? 1 : 2) + positions * h + layers * layer + 2 * h;
  }

  void read_experts() {
    const bool mixtral = family_->type == "mixtral", shared = family_->type == "qwen2_moe";
    s_.experts = size(mixtral ? "num_local_experts" : "num_experts", kParameters,
                      mixtral  ? 8.0
                      : shared ? 60.0
                               : 128.0);
    s_.top_k = size("num_experts_per_tok", "jobs[train].step.compute",
                    mixtral  ? 2.0
                    : shared ? 4.0
                             : 8.0);
    s_.expert_ffn = mixtral ? s_.ffn : size("moe_intermediate_size", kParameters);
    if (shared) s_.shared_ffn = size("shared_expert_intermediate_size", kParameters);
    s_.sparse_layers = s_.layers;
    if (mixtral) return;
    const double step = size("decoder_sparse_step", kParameters, 1.0);
    if (step < 1.0) return;
    std::vector<double> dense;
    if (const Json* only = find("mlp_only_layers"); only != nullptr && only->is_array()) {
      note(FieldFate::mapped, "mlp_only_layers", std::to_string(only->size()) + " layers",
           kParameters);
      for (const Json& layer : *only)
        if (layer.is_number()) dense.push_back(layer.get<double>());
    }
    // Every step-th layer, counted from 1, but for those.
    s_.sparse_layers = std::floor(s_.layers / step);
    std::sort(dense.begin(), dense.end());
    dense.erase(std::unique(dense.begin(), dense.end()), dense.end());
    for (const double layer : dense)
      if (layer >= 0.0 && layer < s_.layers && std::fmod(layer + 1.0, step) == 0.0)
        s_.sparse_layers -= 1.0;
  }

  void read_decoder() {
    s_.hidden = size("hidden_size", kParameters);
    s_.layers = size("num_hidden_layers", kParameters);
    s_.vocabulary = size("vocab_size", kParameters);
    s_.heads = size("num_attention_heads", kParameters);
    s_.kv_heads =
        size("num_key_value_heads", kParameters, family_->type.starts_with("mi") ? 8.0 : s_.heads);
    const double head = family_->head > 0.0 ? family_->head
                        : s_.heads > 0.0    ? s_.hidden / s_.heads
                                            : 0.0;
    s_.head = size("head_dim", kParameters, head);
    if (s_.head <= 0.0 && !diags().has_errors())
      say(Severity::error, "value", "num_attention_heads",
          "hidden_size is not a multiple of num_attention_heads", "give \"head_dim\"");
    s_.ffn = size("intermediate_size", kParameters);
    s_.tied = flag("tie_word_embeddings", family_->tied);
    const bool bias = flag("attention_bias", family_->qkv_bias);
    s_.qkv_bias = bias || family_->qkv_bias;
    s_.out_bias = bias && !family_->qkv_bias;
    if (family_->type == "llama") s_.mlp_bias = flag("mlp_bias", false);
    s_.head_norms = family_->head_norms;
    if (family_->type == "mixtral" || family_->type.ends_with("_moe")) read_experts();
    all_ = count(s_, s_.experts);
    active_ = count(s_, std::min(s_.top_k, s_.experts));
  }

  void convert() {
    if (!document_.root.is_object() || !choose_family()) {
      if (!diags().has_errors())
        say(Severity::error, "format", "", "this is no config.json of a model",
            "it is a JSON object with \"model_type\"");
      return;
    }
    family_->type == "gpt2" ? read_gpt2() : read_decoder();
    if (!diags().has_errors() && !(all_ < kExact))
      say(Severity::error, "value", family_->type == "gpt2" ? "n_layer" : "num_hidden_layers",
          "the model has more parameters than can be counted",
          "at most 2^53: layers x (hidden size)^2 and layers x experts are among the factors");
    if (diags().has_errors()) return;
    const Json* path = find("_name_or_path");
    const std::string folder =
        std::filesystem::path(document_.file).stem() == "config"
            ? std::filesystem::path(document_.file).parent_path().filename().string()
            : std::filesystem::path(document_.file).stem().string();
    scenario_["id"] =
        identifier(!folder.empty() && folder != "." ? folder
                   : path != nullptr && path->is_string() && *path != ""
                       ? std::filesystem::path(path->get<std::string>()).filename().string()
                       : std::string(family_->type));
    const TakenPlant taken = take_plant(options_, document_.file, scenario_, result_);
    if (diags().has_errors()) return;
    add_hosts(taken);
    add_job(taken);
    note_the_rest();
  }

  void add_hosts(const TakenPlant& taken) {
    if (!taken.host.empty() && !options_.hosts) return;
    const auto each = [](std::int64_t all, std::int64_t n) { return all / n + (all % n != 0); };
    const std::int64_t gpus = options_.accelerators.value_or(8);
    const std::int64_t hosts = options_.hosts.value_or(each(gpus, 8));
    if (!options_.hosts && !options_.accelerators)
      say(Severity::warning, "placeholder", "",
          "the file does not say how many GPUs train it; 8 in one host are a placeholder",
          "give --accelerators N, --hosts N or --storage FILE");
    if (taken.host.empty())
      scenario_["cluster"]["hosts"] = Json::array({Json{{"id", "gpu"}, {"gpus", 8}}});
    Json& host = scenario_["cluster"]["hosts"][0];
    host["count"] = hosts;
    if (options_.accelerators) host["gpus"] = each(gpus, hosts);
    note(FieldFate::defaulted, "", std::to_string(hosts), "cluster.hosts",
         options_.hosts || options_.accelerators ? "from the options" : "placeholder");
  }

  void add_job(const TakenPlant& taken) {
    Json job{{"id", "train"}, {"hosts", taken.host.empty() ? "gpu" : taken.host}};
    if (options_.accelerators) job["accelerators"] = *options_.accelerators;
    job["model"]["parameters"] = static_cast<std::int64_t>(all_);
    add_shape(job["model"]);
    note(FieldFate::mapped, "", base::shortest(all_), kParameters,
         active_ < all_ ? base::shortest(active_) + " of them for a token" : "");
    const std::string tokens = base::shortest(kTokens) + " tokens per GPU and step";
    if (active_ < all_) {
      // Only the experts that are chosen compute: t = 6 P_active tokens / (peak MFU)
      const double seconds = 6.0 * active_ * kTokens / (kPeak * kMfu);
      job["step"]["compute"] = base::exact_quantity(
          std::round(seconds * 1e4) / 1e4 + (seconds < 1e-4 ? 1e-4 : 0.0), Dimension::time);
      note(FieldFate::defaulted, "", tokens, "jobs[train].step.compute",
           "placeholder; 6 x active parameters x tokens at 40 % of 989 TFLOP/s");
    } else {
      job["step"] = {{"type", "flops"}, {"tokens", static_cast<std::int64_t>(kTokens)}};
      note(FieldFate::defaulted, "", tokens, "jobs[train].step", "placeholder");
    }
    job["checkpoint"] = {{"to", taken.storage}, {"every", "30 min"}};
    note(FieldFate::defaulted, "", base::print_quantity(all_ * kBytesEach, Dimension::bytes),
         "jobs[train].checkpoint",
         "14 bytes a parameter: bf16 weights, and fp32 master weights and moments of Adam");
    say(Severity::warning, "placeholder", "",
        "a config does not say how it is trained; " + tokens +
            " and a save every 30 min are a placeholder",
        "edit \"jobs\"");
    if (find("quantization_config") != nullptr)
      say(Severity::warning, "not-modelled", "quantization_config",
          "quantization is left out: saves are those of training", "set \"model.state.weights\"");
    scenario_["jobs"] = Json::array({std::move(job)});
    scenario_["run"]["duration"] = "5 h";  // ten saves
  }

  /// Of a dense model whose parameters are those of a scenario's shape, but for biases and norms.
  void add_shape(Json& model) {
    constexpr double kLike = 1e-3;
    const double by_shape = count({.vocabulary = s_.vocabulary,
                                   .hidden = s_.hidden,
                                   .layers = s_.layers,
                                   .heads = s_.heads,
                                   .kv_heads = s_.kv_heads,
                                   .head = s_.heads > 0.0 ? std::floor(s_.hidden / s_.heads) : 0.0,
                                   .ffn = s_.ffn},
                                  0.0);
    if (s_.experts > 0.0 || s_.hidden <= 0.0 || std::abs(by_shape / all_ - 1.0) > kLike) return;
    const auto whole = [](double n) { return static_cast<std::int64_t>(n); };
    model["shape"] = Json{{"vocabulary", whole(s_.vocabulary)},
                          {"hidden", whole(s_.hidden)},
                          {"ffn", whole(s_.ffn)},
                          {"heads", whole(s_.heads)},
                          {"kv_heads", whole(s_.kv_heads)},
                          {"layers", whole(s_.layers)}};
    note(FieldFate::mapped, "", "6 sizes", "jobs[train].model.shape", "for saves by ZeRO stage");
  }

  void note_the_rest() {
    std::set<std::string> read;
    for (const FieldNote& field : result_.fields) read.insert(field.source);
    for (const auto& [name, value] : document_.root.items()) {
      if (read.contains(name)) continue;
      const bool type = name == "torch_dtype" || name == "dtype";
      const bool idle = kIdle.find(" " + name + " ") != kIdle.npos;
      note(FieldFate::ignored, name,
           value.is_structured() ? "..."
           : value.is_string()   ? value.get<std::string>()
                                 : value.dump(),
           "",
           type   ? "of the published file; what is saved in training is \"model.state\""
           : idle ? "changes no count"
                  : "not read");
    }
  }

  static constexpr const char* kParameters = "jobs[train].model.parameters";
  const ImportOptions& options_;
  base::JsonDocument document_;
  const Family* family_ = nullptr;
  Sizes s_;
  double all_ = 0.0, active_ = 0.0;
};

}  // namespace

bool is_huggingface(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return base::trim(text).starts_with('{') && (has("\"architectures\"") || has("\"model_type\"")) &&
         (has("\"hidden_size\"") || has("\"n_embd\"") || has("\"transformers_version\""));
}

ImportResult import_huggingface(const std::string& text, const std::string& file,
                                const ImportOptions& options) {
  return ConfigImport(text, file, options).run();
}

}  // namespace stallcast::scenarios
