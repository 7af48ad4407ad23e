#include "engine/decide/diff/change_list.hpp"

#include <catch2/catch.hpp>

#include "engine/runtime/codec/codec.hpp"
#include "tests/support/designs.hpp"

namespace change_list_test {

using namespace stallcast;
using namespace stallcast::diff;
using models::Role;

namespace {

std::vector<std::string> names(const std::vector<InputStep>& all) {
  std::vector<std::string> out;
  for (const InputStep& c : all) out.push_back(c.said.name);
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("equal designs have no changes, wherever their values came from") {
  const Design base = testing::small_design();
  Design head = base;
  for (auto& [key, value] : head.storage[0].values) value.source.where = "other.json:1:1";
  CHECK(changes(base, head).empty());
}

TEST_CASE("a value is a change with its path, both texts and both places") {
  const Design base = testing::small_design();
  Design head = base;
  testing::set(head.storage[0], Role::storage, "oss.nic", "200 Gb/s");
  head.storage[0].values["oss.nic"].source.where = "head.json:4:9";
  const auto all = changes(base, head);
  REQUIRE(all.size() == 1);
  CHECK(all[0].said.name == "storage[scratch].oss.nic");
  CHECK(all[0].said.after == "200 Gb/s");  // links are quoted in bits
  CHECK(all[0].said.head_at == "head.json:4:9");
}

TEST_CASE("any subset of changes is a design, and all of them are the other one") {
  const Design base = testing::small_design();
  Design head = base;
  testing::set(head.storage[0], Role::storage, "ost.count", "6");
  testing::set(head.jobs[0].step, Role::step, "compute", "1 s");
  head.storage.push_back(head.storage[0]);
  head.storage.back().id = "other";
  head.hosts[0].values["cost.price"] = {Dimension::money, 5.0, "", {}, {}};
  const auto all = changes(base, head);
  CHECK(names(all) == Names{"cluster.hosts[gpu].cost.price", "storage[scratch].ost.count",
                            "storage[other]", "jobs[train].step.compute"});
  CHECK(codec::design_hash(apply(base, head, all, 0)) == codec::design_hash(base));
  CHECK(codec::design_hash(apply(base, head, all, 15)) == codec::design_hash(head));
  const Design some = apply(base, head, all, 0b1010);
  CHECK(some.storage[0].find("ost.count")->number == 6.0);
  CHECK(some.storage.size() == 1);
  CHECK(some.hosts[0].find("cost.price") == base.hosts[0].find("cost.price"));
  // And back: what came goes.
  const auto back = changes(head, base);
  CHECK(codec::design_hash(apply(head, base, back, 15)) == codec::design_hash(base));
  CHECK(apply(head, base, back, 0b0100).storage.size() == 1);
}

TEST_CASE("another kind is one change of the whole component") {
  const Design base = testing::small_design();
  Design head = base;
  head.storage[0] = testing::as_kind(head.storage[0], Role::storage, "weka");
  const auto all = changes(base, head);
  REQUIRE(names(all) == Names{"storage[scratch].type"});
  CHECK(all[0].said.before == "lustre");
  CHECK(all[0].said.after == "weka");
}

TEST_CASE("values that both kinds have are changes of their own, whichever of the two it is") {
  Design base = testing::small_design();
  testing::save_by_steps(base, "sync");
  Design head = base;
  Component& saves = *head.jobs[0].checkpoint;
  saves = testing::as_kind(saves, Role::checkpoint, "async");
  testing::set(saves, Role::checkpoint, "size", "64 GB");
  testing::set(saves, Role::checkpoint, "buffers", "2");  // of async saves alone
  for (auto& [key, value] : saves.values)
    if (key == "size" || key == "buffers") value.source.kind = Source::Kind::scenario;
  const auto all = changes(base, head);
  REQUIRE(names(all) == Names{"jobs[train].checkpoint.mode", "jobs[train].checkpoint.size"});
  const Component kind = *apply(base, head, all, 1).jobs[0].checkpoint;
  CHECK(kind.kind == "async");
  CHECK(kind.find("size")->number == 32e9);
  CHECK(kind.find("buffers")->number == 2.0);
  const Component size = *apply(base, head, all, 2).jobs[0].checkpoint;
  CHECK(size.kind == "sync");
  CHECK(size.find("size")->number == 64e9);
  CHECK(size.find("buffers") == nullptr);
  CHECK(codec::design_hash(apply(base, head, all, 3)) == codec::design_hash(head));
}

TEST_CASE("what has another id and is the same otherwise was renamed") {
  Design base = testing::small_design();
  base.failures.push_back(testing::component(Role::failure, "process", "sw", {{"mtbf", "5 h"}}));
  Design head = base;
  head.failures[0].id = "soft";
  const auto all = changes(base, head);
  REQUIRE(names(all) == Names{"failures[sw].id"});
  CHECK(all[0].said.before == "sw");
  CHECK(all[0].said.after == "soft");
  CHECK(codec::design_hash(apply(base, head, all, 1)) == codec::design_hash(head));
  // Beside another change, each alone.
  testing::set(head.jobs[0].step, Role::step, "compute", "1 s");
  const auto both = changes(base, head);
  REQUIRE(both.size() == 2);
  const Design renamed = apply(base, head, both, 0b10);
  REQUIRE(renamed.failures.size() == 1);
  CHECK(renamed.failures[0].id == "soft");
  CHECK(renamed.jobs[0].step.find("compute")->number == 0.1);
  // With another value it is another failure.
  testing::set(head.failures[0], Role::failure, "mtbf", "6 h");
  CHECK(changes(base, head).size() == 3);
}

TEST_CASE("a job that came brings its parts") {
  const Design base = testing::small_design();
  Design head = base;
  head.jobs.push_back(head.jobs[0]);
  head.jobs[1].job.id = "second";
  const auto all = changes(base, head);
  REQUIRE(names(all) == Names{"jobs[second]"});
  CHECK(apply(head, base, changes(head, base), 1).jobs.size() == 1);
}

TEST_CASE("values of another product are one change, an own value is another") {
  const auto from = [](Component& c, const char* product, const char* key, double number) {
    c.product = product;
    c.values[key].number = number;
    c.values[key].source.kind = Source::Kind::catalogue;
  };
  Design base = testing::small_design();
  from(base.storage[0], "storage/a", "ost.read", 1e9);
  from(base.storage[0], "storage/a", "ost.write", 1e9);
  Design head = base;
  from(head.storage[0], "storage/b", "ost.read", 2e9);
  from(head.storage[0], "storage/b", "ost.write", 2e9);
  testing::set(head.storage[0], Role::storage, "ost.count", "6");
  head.storage[0].values["ost.count"].source.kind = Source::Kind::scenario;
  base.storage[0].values["ost.count"].source.kind = Source::Kind::scenario;
  const auto all = changes(base, head);
  CHECK(names(all) == Names{"storage[scratch].ost.count", "storage[scratch].use"});
  CHECK(all[1].said.moves.size() == 2);
  CHECK(apply(base, head, all, 2).storage[0].product == "storage/b");
}

TEST_CASE("values that one parameter moves are one change, one that follows it is not another") {
  Design base = testing::small_design();
  base.storage[0].pointer = "/storage/0";
  Design head = base;
  testing::set(head.storage[0], Role::storage, "ost.count", "6");
  testing::set(head.storage[0], Role::storage, "oss.count", "3");
  testing::set(head.storage[0], Role::storage, "mdt.count", "5");
  const auto origins = [](const char* n, const char* twice) {
    Origins out;
    out.params = {
        {"n", {.name = "n", .text = n, .where = "a.json:2:3", .needs = {}}},
        {"twice", {.name = "twice", .text = twice, .where = "a.json:2:9", .needs = {"n"}}}};
    out.needs = {{"/storage/0/ost/count", {"n", "twice"}}, {"/storage/0/oss/count", {"n"}}};
    return out;
  };
  const auto all = changes(base, head, origins("4", "8"), origins("3", "6"));
  REQUIRE(names(all) == Names{"storage[scratch].mdt.count", "params.n"});
  CHECK(all[1].said.before == "4");
  CHECK(all[1].said.after == "3");
  CHECK(all[1].said.moves.size() == 2);
}

TEST_CASE("a value that is written out on one side is no change of a parameter") {
  Design base = testing::small_design();
  base.storage[0].pointer = "/storage/0";
  Design head = base;
  testing::set(head.storage[0], Role::storage, "ost.count", "6");
  testing::set(head.storage[0], Role::storage, "oss.count", "3");
  Origins was, is;
  was.params = {{"n", {.name = "n", .text = "4", .where = "a.json:2:3", .needs = {}}}};
  was.needs = {{"/storage/0/ost/count", {"n"}}, {"/storage/0/oss/count", {"n"}}};
  is.params = {{"n", {.name = "n", .text = "3", .where = "a.json:2:3", .needs = {}}}};
  is.needs = {{"/storage/0/oss/count", {"n"}}};
  const auto all = changes(base, head, was, is);
  CHECK(names(all) == Names{"params.n", "storage[scratch].ost.count"});
}

TEST_CASE("two edited parameters that one value needs are one change") {
  Design base = testing::small_design();
  base.storage[0].pointer = "/storage/0";
  Design head = base;
  testing::set(head.storage[0], Role::storage, "ost.count", "6");
  testing::set(head.storage[0], Role::storage, "oss.count", "3");
  testing::set(head.storage[0], Role::storage, "mdt.count", "5");
  const auto origins = [](const char* a, const char* b) {
    Origins out;
    out.params = {{"a", {.name = "a", .text = a, .where = "", .needs = {}}},
                  {"b", {.name = "b", .text = b, .where = "", .needs = {}}}};
    out.needs = {{"/storage/0/mdt/count", {"a"}},
                 {"/storage/0/oss/count", {"b"}},
                 {"/storage/0/ost/count", {"a", "b"}}};
    return out;
  };
  const auto all = changes(base, head, origins("1", "2"), origins("3", "4"));
  REQUIRE(names(all) == Names{"params.a, params.b"});
  CHECK(all[0].said.before == "1, 2");
  CHECK(all[0].said.moves.size() == 3);
}

TEST_CASE("targets come last and change no design") {
  Design base = testing::small_design();
  base.expect = {{"au", "job.train.gpu.utilization >= 90 %", "error", "", "", "", "", ""},
                 {"old", "cost.capex < 2 USD", "error", "", "", "", "", ""}};
  Design head = base;
  head.expect[0].level = "warn";
  head.expect.pop_back();
  testing::set(head.run, Role::run, "duration", "70 s");
  const auto all = changes(base, head);
  REQUIRE(names(all) == Names{"run.duration", "expect[au]", "expect[old]"});
  CHECK(all[1].said.target);
  CHECK(all[1].said.after == "job.train.gpu.utilization >= 90 % (warn)");
  CHECK(all[2].edits.empty());
}

}  // namespace change_list_test
