#include "scenarios/importers/huggingface.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

namespace huggingface_test {

using namespace stallcast;
using Catch::Matchers::Contains;
using scenarios::ImportResult;

namespace {

ImportResult import(const std::string& members, const scenarios::ImportOptions& options = {}) {
  return scenarios::import_huggingface("{" + members + "}", "models/mine/config.json", options);
}

base::Json job(const ImportResult& result) {
  for (const Diagnostic& d : result.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(result.diagnostics.has_errors());
  return base::Json::parse(result.scenario)["jobs"][0];
}
std::int64_t parameters(const std::string& members) {
  return job(import(members))["model"]["parameters"].get<std::int64_t>();
}

constexpr const char* kLlama =
    R"("model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 128256,
       "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8)";

}  // namespace

TEST_CASE("the parameters of Llama 3 8B are those of its weights") {
  // Embedding and output 2 x 128256 x 4096 = 1,050,673,152; each of 32 layers: queries and output
  // 2 x 4096^2, keys and values of 8 of 32 heads 2 x 4096 x 1024, three matrices 4096 x 14336, two
  // norms of 4096: 218,112,000; the last norm 4096. In all 8,030,261,248.
  CHECK(parameters(kLlama) == 1050673152LL + 32LL * 218112000LL + 4096LL);
  CHECK(parameters(kLlama) == 8030261248LL);
}

TEST_CASE("tied embeddings count once, and heads that are not shared count all") {
  const std::string llama(kLlama);
  CHECK(parameters(llama + R"(, "tie_word_embeddings": true)") == 8030261248LL - 128256LL * 4096);
  // 32 in place of 8 heads of keys and values: 24 x 128 columns more of two matrices.
  std::string all = llama;
  all.replace(all.find("\"num_key_value_heads\": 8"), 24, "\"num_key_value_heads\": 32");
  CHECK(parameters(all) == 8030261248LL + 32LL * 2 * 4096 * 24 * 128);
  // Biases of queries, keys, values and output.
  CHECK(parameters(llama + R"(, "attention_bias": true)") ==
        8030261248LL + 32LL * (4096 + 2 * 1024 + 4096));
}

TEST_CASE("families differ in biases, norms of heads and embeddings") {
  // Qwen2 0.5B: 151936 x 896 tied; a layer 2 x 896^2 + 2 x 896 x 128 + biases 896 + 2 x 128, 3 x
  // 896 x 4864, norms 2 x 896: 14,912,384; 24 of them, and a norm.
  CHECK(parameters(
            R"("model_type": "qwen2", "hidden_size": 896, "num_hidden_layers": 24,
               "vocab_size": 151936, "intermediate_size": 4864, "num_attention_heads": 14,
               "num_key_value_heads": 2, "tie_word_embeddings": true)") ==
        151936LL * 896 + 24LL * 14912384 + 896);
  // Qwen3 has two norms of a head, 128 each, in every layer, and no bias.
  CHECK(parameters(
            R"("model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36,
               "vocab_size": 151936, "intermediate_size": 12288, "num_attention_heads": 32,
               "num_key_value_heads": 8)") == 2LL * 151936 * 4096 + 4096 +
                                                  36LL * (2LL * 4096 * 4096 + 2LL * 4096 * 1024 +
                                                          2 * 128 + 3LL * 4096 * 12288 + 2 * 4096));
  // GPT-2: 50257 x 768 tied, 1024 positions; a layer 12 x 768^2 + 13 x 768; a norm with a bias.
  CHECK(parameters(R"("model_type": "gpt2", "n_embd": 768, "n_layer": 12, "vocab_size": 50257)") ==
        50257LL * 768 + 1024LL * 768 + 12LL * (12LL * 768 * 768 + 13LL * 768) + 2 * 768);
}

TEST_CASE("all experts are saved, those that are chosen compute") {
  // Mixtral 8x7B: of a layer 2 x 4096^2 + 2 x 4096 x 1024, a router 4096 x 8, eight times 3 x 4096
  // x 14336, two norms.
  constexpr const char* kMixtral =
      R"("model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000,
         "intermediate_size": 14336, "num_attention_heads": 32, "num_local_experts": 8)";
  const long long expert = 3LL * 4096 * 14336;
  const long long rest = 2LL * 32000 * 4096 + 4096 +
                         32LL * (2LL * 4096 * 4096 + 2LL * 4096 * 1024 + 4096 * 8 + 2 * 4096);
  CHECK(parameters(kMixtral) == rest + 32 * 8 * expert);
  // 6 x (rest + 2 experts) x 8192 tokens at 40 % of 989 TFLOP/s: 1.6003 s.
  const double active = static_cast<double>(rest + 32 * 2 * expert);
  CHECK(6.0 * active * 8192 / (0.4 * 989e12) == Approx(1.6003).epsilon(1e-4));
  CHECK(job(import(kMixtral))["step"]["compute"] == "1.6003 s");
  CHECK_FALSE(job(import(kMixtral))["model"].contains("shape"));
  // Qwen2 MoE: a shared expert with a gate, and layers 2, 4, ... without experts.
  const std::string sparse =
      R"("model_type": "qwen2_moe", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 100,
         "intermediate_size": 256, "num_attention_heads": 4, "num_experts": 8,
         "num_experts_per_tok": 2, "moe_intermediate_size": 32,
         "shared_expert_intermediate_size": 128)";
  const long long attention = 4LL * 64 * 64 + 3 * 64 + 2 * 64;
  const long long with = 64 * 8 + 8LL * 3 * 64 * 32 + 3LL * 64 * 128 + 64, without = 3LL * 64 * 256;
  const long long ends = 2LL * 100 * 64 + 64;
  CHECK(parameters(sparse) == ends + 4 * (attention + with));
  CHECK(parameters(sparse + R"(, "decoder_sparse_step": 2)") ==
        ends + 4 * attention + 2 * with + 2 * without);
  CHECK(parameters(sparse + R"(, "mlp_only_layers": [0, 3])") ==
        ends + 4 * attention + 2 * with + 2 * without);
}

TEST_CASE("an imported config is a scenario whose saves are 14 bytes a parameter") {
  scenarios::ImportOptions options;
  options.accelerators = 64;
  const ImportResult result = import(kLlama, options);
  const auto loaded = Scenario::read({.file = "mine.json", .text = result.scenario});
  for (const Diagnostic& d : loaded.diagnostics().items()) UNSCOPED_INFO(d.pointer << d.message);
  REQUIRE(loaded.ok());
  CHECK(loaded.design().id == "mine");
  const base::Json root = base::Json::parse(result.scenario);
  CHECK(root["cluster"]["hosts"][0]["count"] == 8);
  CHECK(root["jobs"][0]["model"]["shape"]["kv_heads"] == 8);
}

TEST_CASE("what names no family, or lacks a size, is an error with its place") {
  const auto said = [](const std::string& members) {
    std::string out;
    const ImportResult result = import(members);
    for (const Diagnostic& d : result.diagnostics.items())
      if (d.severity == Severity::error) out += d.pointer + ": " + d.message + " " + d.hint + "\n";
    return out;
  };
  CHECK_THAT(said(R"("model_type": "mamba")"),
             Contains("/model_type: ") && Contains("mamba") && Contains("llama, mistral"));
  CHECK_THAT(said(R"("hidden_size": 64)"), Contains("no config.json of a model"));
  CHECK_THAT(said(R"("model_type": "llama", "hidden_size": -1)"),
             Contains("/hidden_size: ") && Contains("\"vocab_size\" is missing"));
  CHECK(parameters(R"("architectures": ["LlamaForCausalLM"])" +
                   std::string(kLlama).substr(std::string(kLlama).find(','))) == 8030261248LL);
}

TEST_CASE("hosts and GPUs of the options are held to what a scenario can have") {
  const auto read = [](std::int64_t gpus, std::optional<std::int64_t> hosts = {}) {
    scenarios::ImportOptions options;
    options.accelerators = gpus;
    options.hosts = hosts;
    return import(kLlama, options);
  };
  const ImportResult most = read(9223372036854775807);
  REQUIRE(most.diagnostics.has_errors());
  CHECK_THAT(most.diagnostics.items()[0].message, Contains("--accelerators 9223372036854775807"));
  CHECK(read(8, 10'000'001).diagnostics.has_errors());
  const ImportResult uneven = read(65);
  CHECK(base::Json::parse(uneven.scenario)["cluster"]["hosts"][0]["count"] == 9);
  CHECK(base::Json::parse(uneven.scenario)["cluster"]["hosts"][0]["gpus"] == 8);
}

TEST_CASE("of many keys each is told once") {
  std::string many(kLlama);
  for (int i = 0; i < 2000; ++i) many += ", \"k" + std::to_string(i) + "\": 1";
  const ImportResult result = import(many);
  CHECK(std::ranges::count(result.fields, "not read", &scenarios::FieldNote::note) == 2000);
  CHECK(std::ranges::count(result.fields, "vocab_size", &scenarios::FieldNote::source) == 1);
}

TEST_CASE("a model that cannot be counted is an error with a place and a hint") {
  const ImportResult result =
      import(R"("model_type": "llama", "hidden_size": 1000000000, "num_hidden_layers": 1000,
                "vocab_size": 1, "intermediate_size": 1, "num_attention_heads": 1)");
  REQUIRE(result.diagnostics.has_errors());
  CHECK(result.diagnostics.items()[0].pointer == "/num_hidden_layers");
  CHECK_FALSE(result.diagnostics.items()[0].hint.empty());
}

}  // namespace huggingface_test
