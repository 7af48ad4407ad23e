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

TEST_CASE("a step exchanges what it computes") {
  // 32 GPUs, 16 of a copy: 16 x 65,536 tokens are 256 micro-batches of 4,096
  const auto with = [](const std::string& micro, std::vector<std::string> sets) {
    sets.insert(
        sets.end(),
        {R"(jobs.model={ "parameters": "70B", "shape": { "vocabulary": 128256, "hidden": 8192, )"
         R"("ffn": 28672, "heads": 64, "kv_heads": 8, "layers": 80 } })",
         R"(jobs.parallel={ "tensor": 8, "pipeline": 2 })",
         R"(jobs.communication={ "type": "megatron", "tokens": 4096, "microbatches": )" + micro +
             " }"});
    return said(sets);
  };
  const std::string flops = R"(jobs.step={ "type": "flops", "tokens": 65536 })";
  CHECK(with("256", {flops}) == "");
  CHECK_THAT(with("8", {flops}),
             Contains("warning /jobs/0/communication/microbatches 8 micro-batches of 4096 tokens "
                      "are not the 1048576 tokens that a copy of the model computes in a step "
                      "(\"step.tokens\" x its 16 GPUs)"));
  // What a step of a given time computes is not said, but where it says its tokens.
  CHECK(with("8", {}) == "");
  const std::string run = R"(jobs.run={ "tokens": "1T", "tokens_per_step": 65536 })";
  CHECK(with("8", {run}) == "");
  CHECK_THAT(with("16", {run}), Contains("(\"run.tokens_per_step\" / 2 copies)"));
}

TEST_CASE("a model has the parameters of its shape, or more of experts") {
  const auto with = [](const std::string& parameters) {
    return said({R"(jobs.model={ "parameters": ")" + parameters +
                 R"(", "shape": { "vocabulary": 128256, "hidden": 8192, "ffn": 28672, )"
                 R"("heads": 64, "kv_heads": 8, "layers": 80 } })"});
  };
  CHECK(with("70B") == "");
  CHECK(with("140B") == "");
  CHECK_THAT(with("7B"), Contains("warning /jobs/0/model/parameters 7B parameters are fewer than "
                                  "the 70.6B of a model of this \"shape\""));
}

TEST_CASE("leaves have room for a host and a way to the spines") {
  const auto with = [](const std::string& fabric, std::vector<std::string> sets = {}) {
    sets.insert(sets.begin(), "cluster.fabric={ " + fabric + " }");
    return said(sets);
  };
  const std::string tree = R"("type": "fat-tree", "leaf": { "ports": 8 })",
                    eight = "cluster.hosts.nic.count=8";
  const std::string ddp = R"(jobs.communication={ "type": "ddp" })";
  CHECK_THAT(with(tree, {eight}),
             Contains("error /cluster/fabric/leaf/ports the 8 ports of a host of \"gpu\" "
                      "(\"nic.count\") do not fit on one leaf, of whose 8 ports 4 lead to hosts"));
  CHECK(with(tree, {"cluster.hosts.nic.count=4"}) == "");
  // rails: a leaf for each port
  CHECK(with(R"("type": "rail-optimized", "leaf": { "ports": 8 })", {eight}) == "");
  // of the network for collectives, where there is one: 8 GPUs a host have 8 ports
  CHECK_THAT(with(tree, {ddp}), Contains("(\"compute_nic.count\")"));
  CHECK(with(tree, {ddp, "cluster.fabric.converged=true"}) == "");
  CHECK(with(tree, {ddp, "cluster.hosts.compute_nic.count=4"}) == "");
  // one of 64 ports toward spines are 63 : 1
  const std::string over = R"("type": "fat-tree", "oversubscription": )";
  CHECK(with(over + "63") == "");
  CHECK_THAT(with(over + "64"),
             Contains("error /cluster/fabric/oversubscription of the 64 ports of a leaf less than "
                      "one leads to spines with an oversubscription of 64"));
}

TEST_CASE("a rate of links that no collective uses is remarked on") {
  const auto with = [](const std::string& more, std::vector<std::string> sets = {}) {
    sets.insert(sets.begin(), R"(cluster.fabric={ "type": "fat-tree")" + more + " }");
    return said(sets);
  };
  const std::string rate = R"(, "compute_link": { "rate": "800 Gb/s" })",
                    ddp = R"(jobs.communication={ "type": "ddp" })";
  CHECK(with("", {ddp}) == "");
  CHECK(with(rate, {ddp}) == "");
  CHECK(with(rate) ==
        "warning /cluster/fabric/compute_link/rate \"compute_link.rate\" has no effect: no job has "
        "collectives whose time is computed; ");
  CHECK(with(rate, {R"(jobs.communication={ "type": "given", "exposed": "10 ms" })"}) ==
        with(rate));
  CHECK_THAT(with(rate + R"(, "converged": true)", {ddp}),
             Contains("\"compute_link.rate\" has no effect: the fabric is converged, so "
                      "collectives use its one network"));
}

TEST_CASE("what a job keeps in the memory of a host fits there") {
  // 8 GB reserved, 8 ranks and 64 workers of 1 GB, 8 x (16 x 2 MB) x 2 MB and a quarter of 182 GB
  const auto with = [](const std::string& memory, std::vector<std::string> sets = {}) {
    sets.insert(sets.begin(), {"cluster.hosts.memory.size=" + memory, "jobs.model.parameters=13B",
                               R"(jobs.dataset={ "on": "scratch", "format": "raw", )"
                               R"("sample": "2 MB", "samples": 500000 })",
                               R"(jobs.loader={ "batch": 64, "workers": 8, "prefetch": 2 })",
                               R"(jobs.checkpoint={ "to": "scratch", "every": "60 s" })"});
    return said(sets);
  };
  CHECK_THAT(with("64 GB"), Contains("warning /cluster/hosts/0/memory/size a host of job \"train\" "
                                     "needs 1") &&
                                Contains("GB of memory and has 64 GB: 8 GB reserved, 72 GB of its "
                                         "processes") &&
                                Contains("45.5 GB of the state that it saves"));
  CHECK(with("256 GB") == "");
  // Pieces of a save that streams are no copy of the state.
  const std::string streams = with("128 GB", {"jobs.checkpoint.stream=true"});
  CHECK(streams == "");
  CHECK_THAT(with("128 GB"), Contains("a host of job"));
  // Two copies, 91 GB, are more than half of 150 GB: training waits for saves, with one of them.
  const std::string two = R"("to": "scratch", "every": "60 s", "mode": "async", "buffers": 2 })";
  CHECK_THAT(with("150 GB", {"jobs.checkpoint={ " + two}),
             Contains("saves will be synchronous") && !Contains("a host of job"));
  CHECK_THAT(with("150 GB", {R"(jobs.checkpoint={ "stream": true, )" + two}),
             Contains("saves will be synchronous") && !Contains("a host of job"));
  CHECK_THAT(with("120 GB", {"jobs.checkpoint={ " + two}),
             Contains("45.5 GB of the state that it saves"));
}

}  // namespace network_rules_test
