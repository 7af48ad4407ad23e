#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

namespace resolve_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

TEST_CASE("a design has every field of its kinds, in base units, with where it came from") {
  const Design design = design_of(load_with({}));
  const Component& storage = design.storage[0];
  CHECK(storage.id == "scratch");
  CHECK(storage.kind == "lustre");
  CHECK(storage.pointer == "/storage/0");
  CHECK(storage.find("ost.read")->number == 4e9);
  CHECK(storage.find("ost.read")->source.where == "test.json:3:82");
  CHECK(storage.find("ost.read")->source.kind == Source::Kind::scenario);
  const Value& write = *storage.find("ost.write");
  CHECK(write.source.kind == Source::Kind::default_value);
  CHECK(write.source.where == "default");
  CHECK_FALSE(write.source.citation.empty());
  CHECK(storage.find("oss.count") == nullptr);  // optional and left out
  CHECK(design.fabric.kind == "switched");
  CHECK(design.run.kind == "run");
  CHECK(design.jobs[0].step.kind == "given");
  CHECK(design.jobs[0].loader->kind == "pytorch");
  CHECK_FALSE(design.jobs[0].checkpoint.has_value());
  CHECK(design.jobs[0].dataset->pointer == "/jobs/0/dataset");
  CHECK(design.id == "test");
  CHECK(design.file == "test.json");
}

TEST_CASE("a product's numbers come with their citation and give way to local keys") {
  const char* text = R"({
    "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100",
                              "nic": { "count": 1 } } ] },
    "jobs": [ { "hosts": "gpu", "model": { "use": "model/llama3-70b" }, "step": { "compute": "1 s" } } ]
  })";
  const Design design = design_of(load_with({}, "", text));
  const Component& host = design.hosts[0];
  CHECK(host.product == "host/dgx-h100");
  CHECK(host.find("gpu.peak")->number == 989.4e12);
  CHECK(host.find("gpu.peak")->source.kind == Source::Kind::catalogue);
  CHECK(host.find("gpu.peak")->source.where == "catalog:host/dgx-h100");
  CHECK_THAT(host.find("gpu.peak")->source.citation, Contains("ml-engineering"));
  CHECK(host.find("nic.count")->number == 1);
  CHECK(host.find("nic.count")->source.kind == Source::Kind::scenario);
  CHECK(design.jobs[0].model.find("parameters")->number == 69.88e9);
}

TEST_CASE("null takes back a product's value: an optional field is absent, another defaults") {
  const Design design =
      design_of(load_file("tests/scenarios/fixtures/good/null-takes-a-product-value-back.json"));
  CHECK(design.storage[0].find("oss.count") == nullptr);
  CHECK(design.storage[0].find("write") == nullptr);
  CHECK(design.storage[0].find("read") != nullptr);
}

TEST_CASE("values of extended files keep their own place") {
  const Design design = design_of(load_file("tests/scenarios/fixtures/good/extends-file.json"));
  const Component& storage = design.storage[0];
  CHECK(storage.find("ost.count")->number == 32);
  CHECK_THAT(storage.find("ost.count")->source.where, Contains("extends-file.json:3:"));
  CHECK_THAT(storage.find("ost.read")->source.where, Contains("base.json:8:"));
  CHECK_FALSE(design.jobs[0].checkpoint.has_value());
}

TEST_CASE("a scenario may extend a template by name") {
  const char* text = R"({ "extends": "catalog:llm-async-ckpt",
                          "storage": [ { "id": "scratch", "ost": { "count": 60 } } ] })";
  CHECK(design_of(load_with({}, "", text)).storage[0].find("ost.count")->number == 60);
}

TEST_CASE("servers may refuse to follow files") {
  const Scenario loaded = Scenario::read(
      {.file = "x.json", .text = R"({ "extends": "base.json" })", .extend_files = false});
  CHECK_THAT(only_fault(loaded), Contains("may not be extended here"));
}

TEST_CASE("a network rate beyond any product is warned of as bytes for bits") {
  const auto loaded = load_with({"storage.oss.nic=800 GB/s", "storage.oss.count=2"});
  REQUIRE(loaded.diagnostics().items().size() == 1);
  const Diagnostic& d = loaded.diagnostics().items()[0];
  CHECK(d.severity == Severity::warning);
  CHECK_THAT(d.hint, Contains("\"800 Gb/s\""));
  CHECK(loaded.ok());
  // No port has 400 GB/s, 3.2 Tb/s; a server of eight ports may.
  for (const char* port : {"nic", "compute_nic"}) {
    const std::string set = "cluster.hosts.gpu." + std::string(port) + ".rate=";
    const auto slip = load_with({set + "400 GB/s"});
    REQUIRE(slip.diagnostics().items().size() == 1);
    CHECK_THAT(slip.diagnostics().items()[0].hint, Contains("\"400 Gb/s\""));
    CHECK(load_with({set + "1.6 Tb/s"}).diagnostics().items().empty());
  }
  CHECK(
      load_with({"storage.oss.nic=3.2 Tb/s", "storage.oss.count=2"}).diagnostics().items().empty());
}

TEST_CASE("NICs that are faster than the ports of the switches are warned of, defaults are not") {
  const auto warnings = [](std::vector<std::string> set) {
    const auto loaded = load_with(std::move(set));
    CHECK(loaded.ok());
    std::vector<std::string> out;
    for (const Diagnostic& d : loaded.diagnostics().items()) out.push_back(d.message);
    return out;
  };
  const char *edr = "cluster.fabric.use=fabric/edr100", *nic = "cluster.hosts[gpu].nic.rate=";
  const std::vector<std::string> said = warnings({edr, nic + std::string("400 Gb/s")});
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("have 400 Gb/s, and run at the 100 Gb/s of the switch ports"));
  CHECK(warnings({edr, nic + std::string("100 Gb/s")}).empty());
  CHECK(warnings({edr}).empty());
  CHECK(warnings({nic + std::string("400 Gb/s")}).empty());
}

TEST_CASE("expectations get an id from their place when they have none") {
  std::string text = kScenario;
  text.insert(text.rfind('}'), R"(, "expect": [ { "that": "job.train.gpu.utilization >= 95 %" },
      { "that": "job.train.step.time < 1 s", "level": "warn", "why": "slow" } ])");
  const Design design = design_of(load_text(text, "test.json"));
  REQUIRE(design.expect.size() == 2);
  CHECK(design.expect[0].id == "expect-1");
  CHECK(design.expect[0].level == "error");
  CHECK(design.expect[1].level == "warn");
  CHECK(design.expect[1].why == "slow");
  CHECK(design.expect[1].pointer == "/expect/1");
}

TEST_CASE("the scenario of the interface page loads") {
  const Design design = design_of(load_text(R"({
  "$schema": "./stallcast-scenario.schema.json",
  "id": "llama3-70b-on-lustre",
  "params": { "n_ost": { "value": 40, "min": 4, "max": 512, "step": 4, "doc": "object storage targets" } },
  "cluster": {
    "hosts": [ { "id": "gpu", "count": 64, "use": "host/dgx-h100" } ],
    "fabric": { "use": "fabric/ndr400-rail-optimized" }
  },
  "storage": [ {
    "id": "scratch", "type": "lustre",
    "ost": { "count": "=n_ost", "read": "4 GB/s", "write": "4 GB/s" },
    "oss": { "count": 10, "nic": "400 Gb/s" },
    "mdt": { "count": 2, "open": "80 kops/s" }
  } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu",
    "model": { "use": "model/llama3-70b" }, "step": { "compute": "850 ms" },
    "dataset": { "on": "scratch", "format": "webdataset", "shard": "1 GiB", "sample": "16 KiB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4 },
    "checkpoint": { "to": "scratch", "every": "30 min", "mode": "async", "tiers": ["host-memory", "local-nvme", "scratch"] }
  } ],
  "run": { "duration": "2 h", "seed": 1, "replicas": 5 },
  "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 95 %" },
              { "id": "stall", "that": "job.train.checkpoint.stall.p99 < 5 s" } ]
})",
                                            "interface.json"));
  CHECK(design.id == "llama3-70b-on-lustre");
  CHECK(design.storage[0].find("ost.count")->number == 40);
  CHECK(design.jobs[0].checkpoint->find("tiers")->list.size() == 3);
}

}  // namespace resolve_test
