#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

/// Rules of fabric and communication.
namespace network_rules_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kFull = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "model": { "parameters": "70B" },
              "step": { "compute": "1 s" } } ],
  "run": { "duration": "1 h" }
})";

// All that is said of the scenario with `sets`.
std::string said(std::vector<std::string> sets) {
  const auto loaded = load_with(std::move(sets), "", kFull);
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (d.severity == Severity::error ? "error " : "warning ") + d.pointer + " " + d.message +
           "; ";
  return out;
}

}  // namespace

TEST_CASE("collectives that one host could hold, and that cross hosts, are warned of") {
  const std::string ddp = "jobs.communication={\"type\": \"ddp\"}";
  CHECK(said({ddp}) == "");
  CHECK_THAT(
      said({ddp, "jobs.accelerators=8"}),
      Contains("/jobs/0/accelerators collectives of 8 GPUs, that one host has, cross hosts: 8 "
               "accelerators are spread evenly over 4 hosts"));
  CHECK(said({ddp, "jobs.accelerators=8", "cluster.hosts.count=1"}) == "");
  CHECK(said({"jobs.accelerators=8"}) == "");
  CHECK(said({ddp, "jobs.accelerators=16"}) == "");
  CHECK_THAT(said({ddp, "jobs.accelerators=16", "jobs.parallel.tensor=8"}),
             Contains("collectives of 8 GPUs"));
  CHECK(said({ddp, "jobs.accelerators=16", "jobs.parallel.tensor=4"}) == "");
}

TEST_CASE("experts lie on data-parallel ranks, and in layers that the model has") {
  // 32 ranks: with two stages 16 copies
  const auto with = [](const std::string& expert, const std::string& layers) {
    return said({R"(jobs.model={ "parameters": "7B", "shape": { "vocabulary": 1000, "hidden": 64, )"
                 R"("ffn": 256, "heads": 8, "kv_heads": 8, "layers": 4 } })",
                 "jobs.parallel.pipeline=2",
                 R"(jobs.communication={ "type": "megatron", "tokens": 8, "microbatches": 4, )"
                 R"("expert": )" +
                     expert + R"(, "moe": { "layers": )" + layers + " } }"});
  };
  CHECK(with("16", "4") == "");
  CHECK(with("4", "2") == "");
  CHECK_THAT(with("32", "4"), Contains("error /jobs/0/communication/expert expert = 32 does not "
                                       "divide the 16 data-parallel ranks of job \"train\""));
  CHECK_THAT(with("3", "4"), Contains("/jobs/0/communication/expert"));
  CHECK_THAT(with("16", "5"), Contains("error /jobs/0/communication/moe/layers 5 layers with "
                                       "experts are more than the 4 layers of the model"));
  // one without the other exchanges nothing
  CHECK_THAT(with("16", "0"), Contains("\"expert\" has no effect unless \"moe.layers\" is"));
  CHECK_THAT(with("1", "4"), Contains("\"moe.layers\" has no effect unless \"expert\" is above 1"));
}

}  // namespace network_rules_test
