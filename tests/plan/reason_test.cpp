#include "engine/decide/plan/reason.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "engine/decide/plan/plan.hpp"

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

/// Of a plan whose values follow from nothing else.
std::string note(const Design& design, const PlanResult& plan) {
  return plan::unsearched_note(design, plan, [](const std::string&) { return false; });
}

}  // namespace

TEST_CASE("a plan without an answer says what limits and was not searched") {
  Design design = beegfs();
  PlanResult plan = searched();
  AssertionOutcome& missed = plan.prediction.assertions.emplace_back();
  missed.id = "au";
  missed.status = "fail";
  missed.limited_by = "storage.s.mds";
  CHECK(note(design, plan) == "target au is limited by the MDSs of s; not searched: --over mds");
  plan.axes.emplace_back().path = "storage.s.mds.count";
  CHECK(note(design, plan).empty());
  plan.axes.pop_back();
  design.storage.push_back(design.storage.front());
  design.storage.back().id = "t";
  CHECK(note(design, plan) == "target au is limited by the MDSs of s; not searched: --over mds:s");
  design.storage.front().kind = "chunkstore";
  design.storage.front().values["meta.count"] = design.storage.front().values["mds.count"];
  plan.prediction.assertions.front().limited_by = "storage.s.meta";
  CHECK(note(design, plan) ==
        "target au is limited by the metadata servers of s; not searched: --over "
        "storage.s.meta.count");
  plan.prediction.assertions.front().limited_by = "job.train.barrier";
  CHECK(note(design, plan).empty());
}

TEST_CASE("what was not searched is said where targets are missed with a part down alone") {
  const Design design = beegfs();
  PlanResult plan = searched();
  plan.points = {nine({target("stall", "fail", "server of s down")})};
  plan.end = 0;
  plan.answer.reset();
  plan.points[0].binding = "storage.s.mds";
  CHECK(note(design, plan) ==
        "target stall with server of s down is limited by the MDSs of s; not searched: --over mds");
}

TEST_CASE("what a design is short of follows from what limits it") {
  CHECK(plan::given_by("storage.s.capacity") == "capacity");
  CHECK(plan::given_by("storage.s.mds") == "metadata");
  CHECK(plan::given_by("storage.s.ost.write") == "bandwidth");
  for (const char* name : {"", "job.train.barrier", "job.train.failures", "job.train.spares"})
    CHECK(plan::given_by(name) == "time");
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

TEST_CASE("what is undecided decides, and not what holds by less") {
  PlanPoint point = nine({target("good", "pass"), target("stall", "inconclusive")});
  point.targets[0].margin = 0.008;
  point.targets[1].margin = 0.02;
  CHECK(plan::tightest(point)->id == "stall");
  point.targets.push_back(target("flush", "fail"));
  point.targets[2].margin = -0.001;
  CHECK(plan::tightest(point)->id == "flush");
  point.targets = {target("good", "pass"), target("room", "pass")};
  point.targets[1].margin = -0.1;
  CHECK(plan::tightest(point)->id == "room");

  PlanResult plan = searched();
  plan.points = {nine({target("good", "pass"), target("stall", "inconclusive")})};
  plan.points[0].inconclusive = true;
  plan.points[0].targets[1].margin = 0.02;
  plan.neighbours = {{0, -1, 0, 1.0}};
  CHECK(plan::reason_of(plan)->target.id == "stall");
}

TEST_CASE("why an answer has as much is told by what would be taken if it met the targets") {
  // Of the first axis the neighbour costs as much as the answer, of the second it is cheaper.
  PlanResult plan = searched();
  plan.axes.push_back(plan.axes.front());
  plan.points = {nine({target("stall", "fail")}), nine({target("good", "fail")}),
                 nine({target("good", "pass")})};
  plan.neighbours = {{0, -1, 0, 1.0}, {1, -1, 1, 1.0}};
  for (PlanPoint& point : plan.points) point.values = {"9", "9"};
  plan.answer = 2;
  CHECK(plan::reason_of(plan)->target.id == "stall");
  plan.points[0].objective = plan.points[2].objective = 10.0;
  plan.points[1].objective = 9.0;
  CHECK(plan::reason_of(plan)->target.id == "good");
  plan.objective.maximize = true;
  CHECK(plan::reason_of(plan)->target.id == "stall");
}

TEST_CASE("a softer limit is one that the whole interval keeps") {
  TargetMargin t = target("stall", "inconclusive");
  t.value = 2.94;
  t.unit = "s";
  t.limit = 3.0;
  for (const auto& [that, kept] : {std::pair{"x < 3 s", 3.4},
                                   {"x >= 3 s", 2.5},
                                   {"x in [1 s, 3 s]", 3.4},
                                   {"x in [3 s, 4 s]", 2.5}}) {
    t.that = that;
    t.interval.reset();
    CHECK(plan::limit_kept(t) == 2.94);
    t.interval = {2.5, 3.4};
    CHECK(plan::limit_kept(t) == kept);
  }
}

TEST_CASE("a step relieves what the larger design has more of, not what costs most in both") {
  Prediction smaller;
  smaller.gains = Gains{};
  smaller.gains->noise = 0.001;
  smaller.resources = {{"storage.fs.ost", "B/s", 8e9, 4e9}, {"storage.fs.mdt", "1/s", 1e5, 1e3}};
  smaller.bottlenecks = {{"job.train.failures", 0.0, 0.0, "", Gain{}},
                         {"storage.fs.mdt", 0.01, 0.1, "", Gain{}},
                         {"storage.fs.ost", 0.5, 0.4, "", Gain{}}};
  smaller.bottlenecks[0].gain->time = 0.01;
  smaller.bottlenecks[2].gain->time = 0.005;
  Prediction larger = smaller;
  CHECK(plan::relieved_by(larger, smaller).empty());
  larger.resources[0].capacity = 12e9;
  CHECK(plan::relieved_by(larger, smaller) == "storage.fs.ost");
  CHECK(plan::relieved_by(larger, smaller, "job.train.checkpoint.serialize") == "storage.fs.ost");
  CHECK(plan::relieved_by(larger, smaller, "storage.fs.provisioned") == "storage.fs.provisioned");
  larger.resources[1].capacity = 2e5;
  CHECK(plan::relieved_by(larger, smaller) == "storage.fs.mdt");
  CHECK(plan::relieved_by(larger, smaller, "storage.fs.ost") == "storage.fs.ost");

  PlanResult plan = searched();
  plan.points = {nine({target("good", "fail")})};
  plan.points[0].binding = "job.train.failures";
  plan.neighbours = {{0, -1, 0, 1.0}};
  CHECK(plan::reason_of(plan)->by == "time");
  CHECK(plan::reason_of(plan, "storage.fs.ost")->by == "bandwidth");
  CHECK(plan::reason_of(plan, "storage.fs.ost")->resource == "storage.fs.ost");
  // What the target waits for most is no reason for more of what does not relieve it.
  plan.points[0].binding = "job.train.checkpoint.serialize";
  CHECK(plan::reason_of(plan)->by == "cores");
  CHECK(plan::reason_of(plan, "storage.fs.ost")->by == "bandwidth");
  plan.points[0].binding = "storage.fs.wear";
  CHECK(plan::reason_of(plan, "storage.fs.ost")->by == "wear");
}

TEST_CASE("what decides an answer is what the next smaller design misses") {
  PlanResult plan = searched();
  plan.points = {nine({target("stall", "fail"), target("capex", "pass")}),
                 nine({target("stall", "pass"), target("capex", "pass")})};
  plan.points[0].targets[0].margin = -0.1;
  plan.points[1].targets[0].margin = 0.3;
  plan.points[1].targets[1].margin = 0.01;
  CHECK(deciding_target(plan) == nullptr);
  plan.answer = 1;
  CHECK(deciding_target(plan)->id == "capex");
  plan.neighbours = {{0, -1, 0, 1.0}};
  plan.reason = plan::reason_of(plan);
  CHECK(deciding_target(plan)->id == "stall");
}

TEST_CASE("a step that shares the work out relieves compute, whatever else it has more of") {
  // Of 61 h 97 % are compute, and of 59 h: the step saves 1.94 of 2 h there.
  Prediction smaller;
  smaller.resources = {{"host.g.cpu", "1/s", 100.0, 1.0}};
  smaller.bottlenecks = {{"job.t.barrier", 0.0, 0.03, "", {}}, {"host.g.cpu", 0.01, 0.001, "", {}}};
  smaller.breakdown["t"] = {{"compute", 0.97}, {"sync", 0.03}};
  AssertionOutcome& run = smaller.assertions.emplace_back();
  run.id = "t", run.metric = "job.t.run.time", run.value = 61.0 * 3600.0;
  Prediction larger = smaller;
  larger.resources[0].capacity = 110.0;
  larger.metrics["job.t.run.time"] = {59.0 * 3600.0, "s", {}};
  CHECK(plan::computes_less(larger, smaller, "t"));
  // The same compute, and 2 h less of a wait.
  larger.breakdown["t"]["compute"] = 0.97 * 61.0 / 59.0;
  CHECK_FALSE(plan::computes_less(larger, smaller, "t"));

  larger.breakdown["t"]["compute"] = 0.97;
  smaller.assertions[0].metric = "job.t.throughput.samples", smaller.assertions[0].value = 610.0;
  larger.metrics["job.t.throughput.samples"] = {630.0, "1/s", {}};
  CHECK(plan::computes_less(larger, smaller, "t"));
  smaller.assertions[0].metric = "job.t.gpu.utilization", smaller.assertions[0].value = 0.97;
  larger.metrics["job.t.gpu.utilization"] = {0.98, "ratio", {}};
  CHECK_FALSE(plan::computes_less(larger, smaller, "t"));

  PlanResult plan = searched();
  plan.points = {nine({target("t", "fail")})};
  plan.neighbours = {{0, -1, 0, 1.0}};
  for (const auto& [binding, by] : {std::pair{"job.t.barrier", "compute"},
                                    {"storage.s.ost", "compute"},
                                    {"storage.s.capacity", "capacity"}}) {
    plan.points[0].binding = binding;
    CHECK(plan::reason_of(plan, "compute")->by == by);
  }
  plan.points[0].targets[0].that = "cost.capex <= 14 MUSD";
  CHECK(plan::reason_of(plan, "compute")->by == "budget");
}

TEST_CASE("a target on cost, power or rack space is a limit of its own") {
  for (const auto& [that, by] : {std::pair{"cost.capex <= 14 MUSD", "budget"},
                                 {"power.total <= 500 kW", "power"},
                                 {"space.rack_units <= 400", "space"},
                                 {"job.train.gpu.utilization >= 88 %", "time"}}) {
    CAPTURE(that);
    PlanResult plan = searched(true);
    plan.points = {nine({target("limit", "fail")})};
    plan.points[0].targets[0].that = that;
    plan.neighbours = {{0, -1, 0, 1.0}};
    const auto reason = plan::reason_of(plan);
    REQUIRE(reason.has_value());
    CHECK(reason->by == by);
  }
}

TEST_CASE("where several things are searched a budget decides before what more of one relieves") {
  // One host more: its saves are too slow by more than its price is too high.
  PlanResult plan = searched(true);
  PlanPoint ten = nine({target("save", "fail"), target("budget", "fail")});
  ten.targets[0].margin = -0.5;
  ten.targets[1].that = "cost.capex <= 3 MUSD";
  ten.targets[1].margin = -0.1;
  ten.binding = "storage.s.ost";
  plan.points = {ten};
  plan.neighbours = {{0, -1, 0, 1.0}};
  CHECK(plan::reason_of(plan)->target.id == "save");
  plan.axes.push_back(searched().axes.front());
  plan.points[0].values = {"10", "7"};
  const auto reason = plan::reason_of(plan);
  CHECK(reason->target.id == "budget");
  CHECK(reason->by == "budget");
  CHECK(reason->resource.empty());
}

TEST_CASE("where a figure still falls at an end of what was searched, that is told") {
  PlanResult plan = searched(true);
  plan.axes[0].from = "9", plan.axes[0].to = "6";
  plan.objective = {"job.t.run.cost", "USD", false};
  plan.points = {nine({}), nine({})};
  plan.points[1].values = {"8"};
  plan.answer = 0;
  plan.neighbours = {{0, 1, 1, 1.0}};
  const auto notes = [&](double at_end, double before) {
    plan.points[0].objective = at_end;
    plan.points[1].objective = before;
    return plan::notes_of_ends(plan);
  };
  REQUIRE(notes(34.3, 35.0).size() == 1);
  CHECK(notes(34.3, 35.0)[0].starts_with("job.t.run.cost still falls at 9 hosts"));
  CHECK(notes(34.3, 34.3).empty());
  CHECK(notes(34.3, 33.0).empty());
  plan.axes[0].from = "12";  // nine are in the midst
  CHECK(notes(34.3, 35.0).empty());
}

}  // namespace reason_test
