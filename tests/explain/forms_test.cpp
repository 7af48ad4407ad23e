#include "engine/decide/explain/forms.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "engine/decide/explain/influence.hpp"
#include "tests/support/designs.hpp"

namespace forms_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

Design saving() {
  Design design = small_design();
  set(design.storage[0], Role::storage, "ost.write", "2 GB/s");
  set(design.storage[0], Role::storage, "ost.read", "4 GB/s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"}, {"every", "1 min"}, {"size", "96 GB"}});
  return design;
}

const ExplainNode* child(const ExplainNode& node, const std::string& name) {
  for (const ExplainNode& c : node.children)
    if (c.name == name) return &c;
  return nullptr;
}

}  // namespace

TEST_CASE("a closed form is a tree that evaluates, down to the inputs") {
  const Design design = saving();
  explain::Forms forms(design);
  const ExplainNode save = forms.tree("job.train.checkpoint.save.bound");
  // 96 GB over 8 OSTs of 2 GB/s: 6 s
  CHECK(save.value == Approx(6.0));
  CHECK(explain::evaluated(save).value() == Approx(save.value).epsilon(1e-9));
  const ExplainNode* flow = child(save, "job.train.checkpoint.flow");
  REQUIRE(flow != nullptr);
  CHECK(flow->value == Approx(16e9));
  REQUIRE(flow->children.size() == 1);
  const ExplainNode& ceiling = flow->children[0];
  CHECK(ceiling.name == "resource.storage.scratch.ost.write.capacity");
  CHECK(child(ceiling, "storage[scratch].ost.count")->value == 8.0);
  CHECK(child(ceiling, "storage[scratch].ost.write")->value == 2e9);
  CHECK(child(ceiling, "storage[scratch].ost.read") == nullptr);  // it does not count here
}

TEST_CASE("where whole pieces end at the value of an input, its slope is not the jump") {
  // 2 GB of gradients are exactly 80 buckets of 25 MB: a millionth less makes it one more latency.
  Design design = small_design();
  design.hosts[0] = component(Role::host, "host", "gpu", {{"count", "16"}, {"gpus", "8"}});
  JobDesign& job = design.jobs[0];
  job.model = component(Role::model, "dense", "model", {{"parameters", "1e9"}});
  job.communication = component(Role::communication, "ddp", "communication",
                                {{"overlap", "0 %"}, {"bucket", "25 MB"}, {"gradient", "2"}});
  explain::Influences influences(design);
  const auto& found = influences.of("job.train.communication.time");
  REQUIRE_FALSE(found.empty());
  for (const explain::Influence& one : found) {
    CAPTURE(one.path);
    CHECK(std::abs(one.elasticity) < 5.0);
  }
}

TEST_CASE("of whole numbers an explanation says what one more and one less do") {
  // 40 hosts on leaves of 40 ports down: one more host has a leaf of its own, 8 uplinks more; one
  // less leaves all 8. Of 49 ports up = round(49 / 6) are 8 as well.
  Design design = small_design();
  design.fabric = component(Role::fabric, "fat-tree", "fabric",
                            {{"leaf.ports", "48"}, {"oversubscription", "5"}});
  set(design.hosts[0], Role::host, "count", "40");
  set(design.hosts[0], Role::host, "nic.count", "1");
  explain::Influences influences(design);
  bool hosts = false;
  for (const auto& one : influences.of("resource.fabric.gpu.area.uplink.write.capacity")) {
    CAPTURE(one.path);
    if (one.path != "cluster.hosts[gpu].count") continue;
    hosts = true;
    CHECK(one.with_one(true) == Approx(1.0));
    CHECK(one.with_one(false) == Approx(0.0).margin(1e-9));
  }
  CHECK(hosts);
  explain::Forms forms(design);
  const ExplainNode links = forms.tree("resource.fabric.gpu.area.uplink.write.capacity");
  const ExplainNode* count = child(links, "cluster.hosts[gpu].count");
  REQUIRE(count != nullptr);
  CHECK(count->note == "one more: 100 % more, one less: the same");
}

TEST_CASE("what a figure answers to is found without changing each input of stores beside it") {
  Design design = saving();
  const std::string figure = "resource.storage.scratch.ost.write.capacity";
  explain::Influences few(design);
  const std::vector<explain::Influence> alone = few.of(figure);
  for (int i = 0; i < 64; ++i) {
    design.storage.push_back(design.storage[0]);
    design.storage.back().id = "other" + std::to_string(i);
  }
  explain::Influences many(design);
  const std::vector<explain::Influence>& found = many.of(figure);
  REQUIRE_FALSE(found.empty());
  REQUIRE(found.size() == alone.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].path == alone[i].path);
    CHECK(found[i].elasticity == alone[i].elasticity);
    CHECK(found[i].tied == alone[i].tied);
  }
  // Two evaluations for each of two halves a level, of which 64 times as many inputs are six more.
  CHECK(many.evaluations() <= few.evaluations() + found.size() * 6 * 4);
}

TEST_CASE("of inputs that are as large one is in the equation, the others next to it") {
  Design design = saving();
  set(design.storage[0], Role::storage, "ost.write", "4 GB/s");
  explain::Forms forms(design);
  // The drives carry the larger of both rates: 8 x 4 GB/s, whichever is meant.
  const ExplainNode media = forms.tree("resource.storage.scratch.ost.capacity");
  CHECK(media.value == Approx(32e9));
  CHECK(explain::evaluated(media).value() == Approx(media.value).epsilon(1e-9));
  CHECK(child(media, "storage[scratch].ost.read") != nullptr);
  CHECK(child(media, "storage[scratch].ost.write") != nullptr);
}

TEST_CASE("room that is paid for by the TB is a part of what is bought") {
  Design design = saving();
  set(design.storage[0], Role::storage, "capacity.size", "500 TB");
  set(design.storage[0], Role::storage, "capacity.price", "100 USD");
  explain::Forms forms(design);
  const ExplainNode capex = forms.tree("cost.capex");
  CHECK(explain::evaluated(capex).value() == Approx(capex.value).epsilon(1e-9));
  const ExplainNode* room = child(capex, "cost.storage.scratch.capacity");
  REQUIRE(room != nullptr);
  CHECK(room->value == Approx(50e3));
  CHECK(room->note.starts_with("500 TB x 100 USD = 50 kUSD, written off in "));
}

TEST_CASE("a figure that is not a product of inputs claims no equation") {
  Design design = saving();
  set(design.storage[0], Role::storage, "ost.degraded", "2");  // 6 whole and 2 at 70 %
  explain::Forms forms(design);
  const ExplainNode unit = forms.tree("storage.scratch.unit.write");
  if (unit.equation.empty())
    CHECK(unit.note.find("answers to the inputs below") != std::string::npos);
  else
    CHECK(explain::evaluated(unit).value() == Approx(unit.value).epsilon(1e-9));
}

}  // namespace forms_test
