#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/decide/explain/explain.hpp"
#include "engine/decide/predict/predict.hpp"
#include "tests/support/designs.hpp"

/// Capacities of what a run has less of than the design says.
namespace capacity_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("links that a hash fills in part have one capacity: the run's, a share of whole ones") {
  // 4 hosts of 16 connections each draw among 8 uplinks of their leaf.
  Design design = small_design();
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"every", "20 s"}, {"size", "96 GB"}, {"serializer", "none"}});
  design.fabric =
      component(Role::fabric, "fat-tree", "fabric", {{"placement", "hash"}, {"leaf.ports", "16"}});
  const RunResult result = testing::run(design);
  const Prediction p = predict::combine(design, std::vector{result});
  const std::string link = "resource.fabric.gpu.area.uplink.write.";
  const auto found =
      explain::explain(design, &p, std::vector{result},
                       {link + "capacity", link + "utilization", "job.train.gpu.utilization.bound",
                        "job.train.checkpoint.duration"});
  REQUIRE(found.ok());
  std::map<std::string, double> values;
  const std::function<void(const ExplainNode&)> look = [&](const ExplainNode& node) {
    INFO(node.name << " = " << node.equation);
    if (node.name.starts_with("resource."))
      CHECK(values.try_emplace(node.name, node.value).first->second == Approx(node.value));
    if (!node.equation.empty())
      CHECK(explain::evaluated(node).value() == Approx(node.value).epsilon(1e-9).margin(1e-15));
    for (const ExplainNode& child : node.children) look(child);
  };
  for (const ExplainNode& tree : found->trees) look(tree);
  const ExplainNode& capacity = found->trees.front();
  CHECK(capacity.equation == "share * whole");
  REQUIRE(capacity.children.size() == 2);
  CHECK(capacity.children[0].value < 0.95);
  for (const ResourceUse& use : result.resources)
    if ("resource." + use.name + "." == link) CHECK(capacity.value == Approx(use.capacity));
}

TEST_CASE("of several that limit together each is taken apart, both ways of one that has two") {
  const Design design = small_design();
  const RunResult result = testing::run(design);
  Prediction p = predict::combine(design, std::vector{result});
  p.bottlenecks = {{"host.gpu.nic and storage.scratch.ost", 0.9, 0.5, ""}};
  const auto found = explain::explain(design, &p, std::vector{result}, {});
  REQUIRE(found.ok());
  std::vector<std::string> resources;
  for (const ExplainNode& tree : found->trees)
    if (tree.name.starts_with("resource.")) resources.push_back(tree.name);
  CHECK(resources == std::vector<std::string>{"resource.host.gpu.nic.read.utilization",
                                              "resource.host.gpu.nic.write.utilization",
                                              "resource.storage.scratch.ost.utilization"});
}

TEST_CASE("a save that cuFile holds is taken apart down to what a thread moves") {
  // 3 GB of each of 32 GPUs at 0.5 GB/s
  Design design = small_design();
  set(design.storage[0], Role::storage, "ost.count", "64");
  set(design.hosts[0], Role::host, "gds.stream", "0.5 GB/s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every", "20 s"},
                                         {"size", "96 GB"},
                                         {"serializer", "none"},
                                         {"direct", "true"},
                                         {"gds", "true"}});
  explain::Forms forms(design);
  const ExplainNode tree =
      explain::account("job.train.checkpoint.duration", testing::run(design), forms);
  std::map<std::string, double> values;
  const std::function<void(const ExplainNode&)> look = [&](const ExplainNode& node) {
    values[node.name] = node.value;
    for (const ExplainNode& child : node.children) look(child);
  };
  look(tree);
  CHECK(values["job.train.checkpoint.took.host.gpu.gds"] == Approx(6.0).epsilon(0.01));
  CHECK(values["job.train.checkpoint.save.bound"] == Approx(6.0));
  CHECK(values["cluster.hosts[gpu].gds.stream"] == 0.5e9);
}

}  // namespace capacity_test
