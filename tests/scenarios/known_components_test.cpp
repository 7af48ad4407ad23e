#include <catch2/catch.hpp>

#include "engine/runtime/codec/codec.hpp"
#include "stallcast/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace known_components_test {

using namespace stallcast;
using namespace stallcast::testing;

constexpr const char* kText = R"({
  "params": { "n": { "value": 8, "min": 1, "max": 64 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" }, { "id": "cpu", "count": 2, "gpus": 1 } ],
               "fabric": { "use": "fabric/ndr400-rail-optimized" } },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": "=n" }, "oss": { "count": 2 } },
               { "id": "home", "type": "nfs", "head": { "count": 2 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
              "dataset": { "on": "scratch", "format": "raw", "sample": "1 MB", "samples": 100000 },
              "loader": { "workers": 4 },
              "checkpoint": { "to": "home", "every": "10 min", "size": "1 TB" } } ],
  "run": { "duration": "10 min" }
})";

/// The design with all that is known of its values, and what is said of it.
std::string all_of(const Scenario& scenario) {
  return (scenario.ok() ? codec::encode(scenario.design()) : std::string("no design")) + "\n" +
         remarks(scenario.diagnostics());
}

TEST_CASE("a scenario with changes is what it is read with them") {
  const Scenario read = load_with({}, "", kText);
  REQUIRE(read.ok());
  for (const char* option :
       {"params.n=16", "storage[scratch].ost.count=12", "storage[scratch].oss.count=3",
        "storage[home].type=lustre", "storage[home].head.count=nonsense", "jobs[train].hosts=cpu",
        "jobs[train].loader.workers=5", "jobs[train].step.compute=null",
        "jobs[train].checkpoint=null", "jobs[train].dataset.sample=2 MB", "jobs[train].lodaer=3",
        "cluster.hosts[gpu].count=5", "cluster.hosts[cpu].gpus=2", "cluster.fabric.use=null",
        "cluster.hosts[gpu].use=host/dgx-a100", "run.duration=20 min", "run.seed=7"}) {
    INFO(option);
    const std::string text = option;
    const std::size_t equals = text.find('=');
    const std::array changes{
        Change{text.substr(0, equals), parse_setting(text.substr(equals + 1))}};
    CHECK(all_of(read.with(changes)) == all_of(load_with({option}, "", kText)));
  }
}

TEST_CASE("components that no change is about are those of before") {
  const Scenario read = load_with({}, "", kText);
  const std::array five{Change{"jobs[train].loader.workers", parse_setting("5")}};
  const std::array six{Change{"jobs[train].loader.workers", parse_setting("6")}};
  const Scenario a = read.with(five), b = read.with(six);
  REQUIRE((a.ok() && b.ok()));
  const Design &one = a.design(), &two = b.design();
  CHECK(one.fabric.values.shares(two.fabric.values));
  CHECK(one.hosts[0].values.shares(two.hosts[0].values));
  CHECK(one.storage[1].values.shares(two.storage[1].values));
  CHECK(one.jobs[0].job.values.shares(two.jobs[0].job.values));
  CHECK(one.jobs[0].loader->find("workers")->number == 5.0);
  CHECK(two.jobs[0].loader->find("workers")->number == 6.0);
}

}  // namespace known_components_test
