#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "models/bounds/bounds.hpp"
#include "tests/scenarios/support.hpp"

/// What follows from a scenario without a simulation, in numbers and in words:
/// docs/models/bounds.md.
namespace derived_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

/// 4 hosts of 8 GPUs that read from Lustre, with more of the job and of the scenario.
Design design(const std::string& job, const std::string& more = "", const std::string& host = "") {
  return design_of(load_with({}, "",
                             (R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 )" +
                              host + R"( } ] },
    "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" }, )" +
                              job + R"( } ],
    "run": { "duration": "1 h" } )" +
                              more + " }")
                                 .c_str()));
}

constexpr const char* kSaves =
    R"("checkpoint": { "to": "scratch", "every": "1 min", "size": "1 TB" })";
constexpr const char* kReads =
    R"("dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 1000000,
                    "decode": "10 ms" })";

models::Derivation derivation(const Design& design, const std::string& name) {
  for (const models::Derivation& d : models::bounds(design).derivations)
    if (d.name == name) return d;
  FAIL("no derivation " << name);
  return {};
}

}  // namespace

TEST_CASE("everything of the library has bounds that are numbers, and equations of what is named") {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().string());
    const models::Bounds bounds = models::bounds(design_of(load_file(entry.path().string())));
    std::set<std::string> names;
    for (const models::Derivation& d : bounds.derivations) names.insert(d.name);
    for (const models::Derivation& d : bounds.derivations) {
      INFO(d.name << ": " << d.formula);
      ++seen;
      CHECK(std::isfinite(d.value));
      CHECK_FALSE(d.formula.empty());
      for (const models::Term& term : d.rule.terms) {
        INFO(term.symbol << " from " << term.from);
        CHECK_THAT(d.rule.equation, Contains(term.symbol));
        // A figure of its own says what it is.
        CHECK_FALSE((term.from.empty() && term.meaning.empty()));
        if (term.from.starts_with("job.") || term.from.starts_with("storage."))
          CHECK((names.count(term.from) == 1 || term.from.find('[') != std::string::npos));
      }
    }
  }
  CHECK(seen > 1000);
}

TEST_CASE("failures of all sorts add up") {
  // 4 hosts, 32 GPUs and 32 x 4 loader processes: 4/1000 + 32/3200 + 128/12800 = 0.024 an hour
  const std::string failures =
      R"(, "failures": [ { "id": "host", "type": "host", "mtbf": "1000 h", "per": "host" },
                         { "id": "gpu", "type": "process", "mtbf": "3200 h", "per": "gpu" },
                         { "id": "oom", "type": "process", "mtbf": "12800 h", "per": "worker" },
                         { "id": "bus", "type": "storage", "on": "scratch", "part": "target",
                           "mtbf": "1000 h" } ])";
  const std::string loads = std::string(kReads) + R"(, "loader": { "workers": 4 }, )" + kSaves;
  const models::Derivation all = derivation(design(loads, failures), "job.train.failures.mtbf");
  CHECK(all.value == Approx(3600.0 / 0.024));
  CHECK(all.rule.equation == "1 / (n1 / mtbf1 + n2 / mtbf2 + n3 / mtbf3)");
  CHECK_THAT(all.formula, Contains("4 / ") && Contains("(host) + 32 / ") &&
                              Contains("(gpu) + 128 / ") && Contains("(oom)"));
  // sqrt(2 stall mtbf)
  const models::Bounds bounds = models::bounds(design(loads, failures));
  const models::Derivation young =
      derivation(design(loads, failures), "job.train.checkpoint.interval.young");
  CHECK(young.value == Approx(std::sqrt(2 * young.rule.terms.at(0).value * all.value)));
  CHECK_THAT(young.formula, Contains("of work between two saves, for a stall of at least"));
}

TEST_CASE("pods wait for their volumes before a job starts, some at one time") {
  // ceil(4 hosts x 6 pods / 5) = 5 turns of 2 s, 3 s to start and 20 s to initialise
  const auto startup = [](const std::string& parallel) {
    return derivation(design(std::string(kSaves) +
                                 R"(, "recovery": { "start": "3 s", "init": "20 s",
                                      "mount": { "delay": "2 s", "pods": 6)" +
                                 parallel + " } }",
                             R"(, "failures": [ { "type": "host", "mtbf": "1000 h" } ])"),
                      "job.train.startup.bound");
  };
  const models::Derivation some = startup(R"(, "parallel": 5)");
  CHECK(some.value == Approx(33));
  CHECK(some.rule.equation == "turns * delay + start + init");
  CHECK(some.rule.terms.at(0).value == Approx(5));
  CHECK(some.rule.terms.at(0).meaning == "24 pods get their volumes, 5 at one time");
  const models::Derivation all = startup("");
  CHECK(all.value == Approx(25));
  CHECK(all.rule.terms.at(0).meaning == "24 pods get their volumes, all at one time");
}

TEST_CASE("what two storage systems share of a data set is asked of each") {
  const auto reads = [](const std::string& more) {
    const std::string text = R"({
      "cluster": { "hosts": [ { "id": "gpu", "count": 4, "gpus": 8 } ] },
      "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } },
                   { "id": "other", "type": "lustre", "ost": { "count": 8 } } ],
      "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" }, )" +
                             more + R"(
                  "dataset": { "on": "scratch", "format": "raw", "sample": "1 GB",
                               "samples": 100000, "also": { "on": "other", "share": "30 %" } } } ],
      "run": { "duration": "1 h" } })";
    const Design design = design_of(load_with({}, "", text.c_str()));
    const std::string storage = models::bounds(design).storage;
    return storage + ": " + derivation(design, "storage." + storage + ".osts.reads").rule.equation;
  };
  // The one whose parts are counted is that which is saved to.
  CHECK(reads("") == "scratch: (read1 * (1 - share1)) / unit_read");
  CHECK(reads(R"("checkpoint": { "to": "other", "every": "1 min", "size": "1 TB" },)") ==
        "other: (read1 * share1) / unit_read");
}

TEST_CASE("GPUs that move wait for the volumes of the hosts that stay") {
  // 32 GPUs of 4 hosts lend 8: the 3 hosts that stay mount in turns of 2 s.
  const auto shift = [](const std::string& mount) {
    return derivation(design(std::string(kSaves) + R"(, "elastic": { "gpus": 8 },
                                "recovery": { "start": "3 s", "init": "20 s" )" +
                             mount + " }"),
                      "job.train.elastic.shift");
  };
  const models::Derivation without = shift("");
  CHECK_THAT(without.formula, !Contains(" + mount "));
  const models::Derivation with = shift(R"(, "mount": { "delay": "2 s", "parallel": 1 })");
  CHECK_THAT(with.formula, Contains(" + mount "));
  CHECK(with.value > without.value);
  CHECK(std::fmod(with.value - without.value + 1e-9, 2.0) ==
        Approx(0).margin(1e-6));  // whole turns
}

TEST_CASE("CPU bounds what loaders take in, and files that hosts open do, too") {
  const auto ceiling = [](const std::string& loader, const std::string& host = "") {
    return derivation(
        design(std::string(kReads) + R"(, "loader": { "workers": 1)" + loader + " }", "", host),
        "job.train.loader.ceiling");
  };
  const models::Derivation workers = ceiling("");
  CHECK_THAT(workers.formula, Contains("32 GPUs x 1 workers x 1 MB / "));
  CHECK_THAT(ceiling(R"(, "type": "pytorch")", R"(, "cpu": { "cores": 1 })").formula,
             Contains(" cores x 1 MB / "));
  // 4 hosts x 10 files/s of 1 MB
  const models::Derivation opens = ceiling("", R"(, "opens": "10 ops/s")");
  CHECK(opens.value == Approx(40e6));
  CHECK_THAT(opens.formula, Contains("to open its files"));
}

TEST_CASE("saves are derived from what the model is, or from what is said") {
  const auto size = [](const std::string& model, const std::string& save) {
    return derivation(
        design(R"("model": { )" + model + R"( }, "checkpoint": { "to": "scratch", )" + save + " }"),
        "job.train.checkpoint.size");
  };
  CHECK(size("", R"("every": "1 min", "size": "1 TB")").formula == "given: 1 TB");
  // 70e9 parameters of 14 B
  const models::Derivation all = size(R"("parameters": "70B")", R"("every_steps": 10)");
  CHECK(all.value == Approx(980e9));
  CHECK_THAT(all.formula, Contains("parameters x 14 B = 980 GB"));
  CHECK_THAT(size(R"("shape": { "vocabulary": 32000, "hidden": 4096, "ffn": 11008, "heads": 32,
                                "kv_heads": 32, "layers": 32 })",
                  R"("every_steps": 10, "layout": "zero3")")
                 .formula,
             Contains("as layout zero3 cuts it,"));
  const Design less = design(R"("checkpoint": { "to": "scratch", "every_steps": 10, "size": "1 TB",
    "compress": { "ratio": 2 }, "incremental": { "fraction": "10 %", "full_every": 10 } })");
  // 1 TB / 2 x (1 + 9 x 10 %) / 10
  const models::Derivation written = derivation(less, "job.train.checkpoint.written");
  CHECK(written.value == Approx(95e9));
  CHECK_THAT(written.formula, Contains("1 TB / 2 x 0.19"));
  CHECK(derivation(less, "job.train.checkpoint.interval").formula == "10 steps x 1 s = 10 s");
}

TEST_CASE("shared resources can do what their parts can do together") {
  const auto found =
      models::capacities(design(kReads, "", R"(, "opens": "100 ops/s", "cpu": { "cores": 64 })"));
  CHECK(found.at("host.gpu.opens").amount == Approx(400));
  CHECK(found.at("host.gpu.opens").unit == "1/s");
  CHECK(found.at("host.gpu.cpu").unit == "cores");
  CHECK(found.at("storage.scratch.ost.read").unit == "B/s");
  CHECK(models::capacities(design(kReads)).count("host.gpu.opens") == 0);
}

}  // namespace derived_test
