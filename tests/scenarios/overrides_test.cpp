#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

namespace overrides_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

TEST_CASE("--set reaches a field by every spelling of its path") {
  for (const char* option :
       {"storage.ost.count=48", "storage.scratch.ost.count=48", "storage[scratch].ost.count=48",
        "storage[0].ost.count=48", "/storage/0/ost/count=48", "storage.0.ost.count = 48",
        "storage.ost={\"count\": 48}"}) {
    INFO(option);
    const Design design = design_of(load_with({option}));
    CHECK(design.storage[0].find("ost.count")->number == 48);
  }
  for (const char* option : {"jobs[train].loader.workers=8", "jobs.train.loader.workers=8",
                             "jobs.loader.workers=8", "job.train.loader.workers=8"}) {
    INFO(option);
    CHECK(design_of(load_with({option})).jobs[0].loader->find("workers")->number == 8);
  }
}

TEST_CASE("--set refuses a pointer to nothing") {
  for (const char* option : {"/=1", "//ost=1", "/storage/7/ost/count=1"}) {
    INFO(option);
    CHECK_FALSE(load_with({option}).ok());
  }
}

TEST_CASE("--set takes what reports call the fabric") {
  CHECK(design_of(load_with({"fabric.rtt=7 us"})).fabric.find("rtt")->number == Approx(7e-6));
}

TEST_CASE("--set takes the word after an id for a field, though it is the id as well") {
  for (const char* option : {"cluster.hosts[gpu].gpu.copy=9 GB/s",
                             "cluster.hosts.gpu.gpu.copy=9 GB/s", "host.gpu.gpu.copy=9 GB/s"}) {
    INFO(option);
    CHECK(design_of(load_with({option})).hosts[0].find("gpu.copy")->number == 9e9);
  }
}

TEST_CASE("--set writes fields that the file leaves out, and says so in their source") {
  const Design design = design_of(load_with({"storage.oss.count=3", "storage.ost.write=6 GB/s",
                                             "run.duration=5 min", "cluster.hosts.nic.count=2"}));
  CHECK(design.storage[0].find("oss.count")->number == 3);
  CHECK(design.storage[0].find("ost.write")->number == 6e9);
  CHECK(design.run.find("duration")->number == 300);
  CHECK(design.hosts[0].find("nic.count")->number == 2);
  CHECK(design.storage[0].find("oss.count")->source.kind == Source::Kind::set_option);
  CHECK(design.storage[0].find("oss.count")->source.where == "--set storage.oss.count=3");
}

TEST_CASE("the last --set of a path wins and null takes a value back") {
  const Design design =
      design_of(load_with({"storage.ost.count=3", "storage.ost.count=5", "storage.ost.read=null"}));
  CHECK(design.storage[0].find("ost.count")->number == 5);
  CHECK(design.storage[0].find("ost.read")->source.kind == Source::Kind::default_value);
}

TEST_CASE("--set faults name the option and the nearest right word") {
  const auto fault = [](const char* option) { return only_fault(load_with({option})); };
  CHECK_THAT(fault("storage.ost.cuont=1"), Contains("unknown-key") && Contains("\"count\""));
  CHECK_THAT(fault("storge.ost.count=1"), Contains("unknown-key") && Contains("\"storage\""));
  CHECK_THAT(fault("jobs[tran].loader.workers=1"),
             Contains("no element \"tran\" in jobs") && Contains("did you mean \"train\""));
  CHECK_THAT(fault("params.n=1"), Contains("no parameter \"n\""));
  CHECK_THAT(fault("storage.ost.count"), Contains("is not path=value"));
  CHECK_THAT(fault("storage..count=1"), Contains("is not a path"));
  CHECK_THAT(fault("storage.ost.count.x=1"), Contains("cannot be set"));
  CHECK_THAT(fault("storage.ost.read=4"), Contains("needs a unit"));
  const auto loaded = load_with({"storage.ost.read=4"});
  CHECK(loaded.diagnostics().items()[0].position.file == "--set storage.ost.read=4");
  CHECK(loaded.diagnostics().items()[0].position.line == 0);
}

TEST_CASE("--set params.n=value keeps the range of the parameter") {
  const char* text = R"({
    "params": { "n": { "value": 8, "min": 2, "max": 16 }, "m": 3 },
    "cluster": { "hosts": [ { "id": "gpu", "count": "=n", "gpus": "=m" } ] },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ]
  })";
  CHECK(
      design_of(load_with({"params.n=4", "params.m=5"}, "", text)).hosts[0].find("count")->number ==
      4);
  CHECK(design_of(load_with({"params.n.value=4"}, "", text)).hosts[0].find("count")->number == 4);
  CHECK_THAT(only_fault(load_with({"params.n=40"}, "", text)), Contains("above its max of 16"));
}

TEST_CASE("a parameter that an option replaces is not unused") {
  const char* text = R"({
    "params": { "n": 8 },
    "cluster": { "hosts": [ { "id": "gpu", "count": "=n" } ] },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ]
  })";
  const Scenario two = load_with({"cluster.hosts.count=2"}, "", text);
  CHECK(design_of(two).hosts[0].find("count")->number == 2);
  const base::Json merged = ScenarioBuilder::merged(two);
  CHECK_FALSE(merged.contains("params"));
  CHECK(design_of(load_with({}, "", merged.dump().c_str())).hosts[0].find("count")->number == 2);
}

TEST_CASE("what is merged keeps the parameters that something still uses") {
  const char* text = R"({
    "params": { "n": 8, "half": "=n / 2", "idle": 1, "late": 2 },
    "cluster": { "hosts": [ { "id": "gpu", "count": "=half", "gpus": "=idle" } ] },
    "jobs": [ { "hosts": "gpu", "step": { "compute": "1 s" } } ],
    "scenarios": { "later": { "cluster": { "hosts": [ { "id": "gpu", "gpus": "=late" } ] } } }
  })";
  const base::Json merged = ScenarioBuilder::merged(load_with({"cluster.hosts.gpus=3"}, "", text));
  std::vector<std::string> kept;
  for (const auto& [name, value] : merged["params"].items()) kept.push_back(name);
  CHECK(kept == std::vector<std::string>{"n", "half", "late"});
}

TEST_CASE("a variant is merged over the scenario") {
  const char* text = R"({
    "params": { "n": 8 },
    "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
    "storage": { "id": "scratch", "type": "lustre", "ost": { "count": 8 } },
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
    "scenarios": {
      "big": { "storage": { "ost": { "count": "=n * 8" } } },
      "fast": { "jobs": [ { "id": "train", "step": { "compute": "100 ms" } } ] }
    }
  })";
  const auto base = load_with({}, "", text);
  CHECK(std::vector(base.variants().begin(), base.variants().end()) ==
        std::vector<std::string>{"big", "fast"});
  CHECK(design_of(base).storage[0].find("ost.count")->number == 8);
  CHECK(design_of(load_with({}, "big", text)).storage[0].find("ost.count")->number == 64);
  CHECK(design_of(load_with({}, "fast", text)).jobs[0].step.find("compute")->number == 0.1);
  CHECK_THAT(only_fault(load_with({}, "bgi", text)), Contains("did you mean \"big\""));
}

}  // namespace overrides_test
