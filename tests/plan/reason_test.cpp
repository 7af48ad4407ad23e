#include "engine/decide/plan/reason.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace reason_test {

using namespace stallcast;

namespace {

/// Of OSTs; `falls`: of hosts, fewer of which are easier.
PlanResult searched(bool falls = false) {
  PlanResult plan;
  plan.axes.push_back({.path = falls ? "cluster.hosts[gpu].count" : "storage[s].ost.count",
                       .name = falls ? "hosts.gpu.count" : "storage.s.ost.count",
                       .noun = falls ? "hosts" : "OSTs",
                       .owner = "",
                       .metric = "some.required",
                       .from = "1",
                       .to = "64"});
  plan.axes.back().falls = falls;
  return plan;
}

TargetMargin target(const char* id, const char* status, const char* when = "") {
  TargetMargin out;
  out.id = id;
  out.status = status;
  out.when = when;
  return out;
}

PlanPoint nine(std::vector<TargetMargin> targets) {
  PlanPoint point;
  point.values = {"9"};
  point.targets = std::move(targets);
  return point;
}

/// A BeeGFS of targets whose servers of metadata limit a missed target.
Design beegfs() {
  Design d;
  Component& storage = d.storage.emplace_back();
  storage.id = "s";
  storage.kind = "beegfs";
  for (const char* key : {"target.count", "mds.count"}) {
    storage.values[key].dimension = Dimension::count;
    storage.values[key].number = 2.0;
  }
  return d;
}

}  // namespace

TEST_CASE("a plan without an answer says what limits and was not searched") {
  Design design = beegfs();
  PlanResult plan = searched();
  AssertionOutcome& missed = plan.prediction.assertions.emplace_back();
  missed.id = "au";
  missed.status = "fail";
  missed.limited_by = "storage.s.mds";
  CHECK(plan::unsearched_note(design, plan) ==
        "target au is limited by the MDSs of s; not searched: --over mds");
  plan.axes.emplace_back().path = "storage.s.mds.count";
  CHECK(plan::unsearched_note(design, plan).empty());
  plan.axes.pop_back();
  design.storage.push_back(design.storage.front());
  design.storage.back().id = "t";
  CHECK(plan::unsearched_note(design, plan) ==
        "target au is limited by the MDSs of s; not searched: --over mds:s");
  design.storage.front().kind = "chunkstore";
  design.storage.front().values["meta.count"] = design.storage.front().values["mds.count"];
  plan.prediction.assertions.front().limited_by = "storage.s.meta";
  CHECK(plan::unsearched_note(design, plan) ==
        "target au is limited by the metadata servers of s; not searched: --over "
        "storage.s.meta.count");
  plan.prediction.assertions.front().limited_by = "job.train.barrier";
  CHECK(plan::unsearched_note(design, plan).empty());
}

TEST_CASE("a larger design that misses is named with the targets it misses") {
  const PlanPoint beyond =
      nine({target("au", "fail"), target("room", "pass"), target("flush", "fail", "oss of s down"),
            target("open", "inconclusive")});
  CHECK(plan::non_monotone_note(searched(), beyond) ==
        "more is not always better here: the answer meets the targets, but a larger design "
        "(9 OSTs) misses au and flush with oss of s down");
  CHECK(plan::non_monotone_note(searched(true), beyond) ==
        "less is not always easier here: the answer meets the targets, but a smaller design "
        "(9 hosts) misses au and flush with oss of s down");
}

TEST_CASE("a larger design whose targets are undecided may miss them") {
  PlanPoint beyond = nine({target("room", "pass"), target("au", "inconclusive")});
  beyond.inconclusive = true;
  CHECK(plan::non_monotone_note(searched(), beyond) ==
        "more is not always better here: the answer meets the targets, but a larger design "
        "(9 OSTs) may miss au");
}

TEST_CASE("a larger design that bounds alone exclude misses the targets") {
  CHECK(plan::non_monotone_note(searched(), nine({})) ==
        "more is not always better here: the answer meets the targets, but a larger design "
        "(9 OSTs) misses them");
}

TEST_CASE("where nothing beyond the answer misses, what misses lies before it") {
  CHECK(plan::non_monotone_note(searched(), {}) ==
        "more is not always better here: a smaller design meets the targets, but a larger one "
        "between it and the answer misses them");
  CHECK(plan::non_monotone_note(searched(true), {}) ==
        "less is not always easier here: a larger design meets the targets, but a smaller one "
        "between it and the answer misses them");
}

}  // namespace reason_test
