#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/label.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/values.hpp"

/// Changes of what limits together, and of what follows what.
namespace advice_together_test {

using namespace stallcast;
using testing::number;

namespace {

Design design() {
  Design d;
  d.storage.emplace_back();
  d.storage[0].id = "scratch";
  d.storage[0].kind = "lustre";
  d.storage[0].values["ost.count"] = number(48, Dimension::count);
  d.hosts.emplace_back();
  d.hosts[0].id = "gpu";
  d.hosts[0].values["nic.rate"] = number(50e9, Dimension::rate);
  return d;
}

/// The same on a network of which nothing is said but `settings`.
Design on_tree(testing::Settings settings) {
  Design d = design();
  d.hosts[0] = testing::component(models::Role::host, "host", "gpu",
                                  {{"count", "4"}, {"nic.rate", "400 Gb/s"}});
  d.fabric = testing::component(models::Role::fabric, "fat-tree", "fabric", settings);
  return d;
}

Prediction blaming(const std::string& resource) {
  Prediction p;
  p.bottlenecks.push_back({resource, 0.9, 0.5, ""});
  p.breakdown["train"] = {{"cpu", 0.05}};
  return p;
}

}  // namespace

TEST_CASE("faster NICs say whether links between switches are as fast as they are") {
  Design tree = on_tree({});
  const auto text = [&](const std::string& resource) {
    const auto changes = plan::candidate_changes(tree, blaming(resource), 1);
    return changes.empty() ? "" : changes[0].text;
  };
  CHECK(text("host.gpu.nic.write") == "host.gpu.nic.rate 400 Gb/s -> 800 Gb/s, links to match");
  tree.fabric.values["link.rate"] = number(50e9, Dimension::rate);
  CHECK(text("host.gpu.nic.write") == "host.gpu.nic.rate 400 Gb/s -> 800 Gb/s");
  // Links of the other network are no slower than these: at 800 Gb/s they stay as they are.
  tree.hosts[0].values["compute_nic.rate"] = number(50e9, Dimension::rate);
  const auto compute = [&](double links) {
    tree.fabric.values["link.rate"] = number(links, Dimension::rate);
    return text("host.gpu.compute_nic");
  };
  CHECK(compute(50e9) == "host.gpu.compute_nic.rate 400 Gb/s -> 800 Gb/s, links to match");
  CHECK(compute(100e9) == "host.gpu.compute_nic.rate 400 Gb/s -> 800 Gb/s");
}

TEST_CASE("of several that limit together each is relieved") {
  const auto changes =
      plan::candidate_changes(design(), blaming("host.gpu.nic and storage.scratch.ost"), 4);
  REQUIRE(changes.size() == 2);
  CHECK(text_of(changes[0].change) == "cluster.hosts[gpu].nic.rate=800 Gb/s");
  CHECK(text_of(changes[1].change) == "storage[scratch].ost.count=60");
}

TEST_CASE("nothing else is tried of several than of each of them") {
  const Design tree = on_tree({{"link.rate", "400 Gb/s"}, {"compute_link.rate", "400 Gb/s"}});
  const std::string both = "fabric.compute_link and storage.scratch.ost";
  std::vector<std::string> of_both, of_each;
  for (const auto& change : plan::candidate_changes(tree, blaming(both), 8))
    of_both.push_back(text_of(change.change));
  for (const std::string& one : label::each_of(both))
    for (const auto& change : plan::candidate_changes(tree, blaming(one), 8))
      of_each.push_back(text_of(change.change));
  CHECK(of_both == of_each);
}

TEST_CASE("twice of several is twice of the first of them that can be doubled") {
  const auto twice = [](const std::string& resource) {
    const auto change = plan::doubled(design(), blaming(resource), resource);
    return change ? text_of(change->change) : "";
  };
  CHECK(twice("storage.scratch.ost and host.gpu.nic") == "storage[scratch].ost.count=96");
  CHECK(twice("host.gpu.gpu.copy and host.gpu.nic") == "cluster.hosts[gpu].nic.rate=800 Gb/s");
}

}  // namespace advice_together_test
