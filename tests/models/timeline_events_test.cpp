#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/record/choose.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/recorded.hpp"

namespace timeline_events_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

/// What a timeline shows besides steps and saves: collectives, restarts, faults, tenants.
namespace {

/// Steps of 100 ms; from a lost host until its ranks could load 1 + 2 + 3 + 4 s.
Design failing(const char* at, const char* kind = "host") {
  Design design = small_design();
  design.jobs[0].recovery =
      component(Role::recovery, "restart", "recovery",
                {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}});
  design.failures.push_back(component(Role::failure, kind, "loss", {{"at", at}}));
  return design;
}

void check_span(const Timeline& timeline, const char* kind, const char* name, double begin,
                double end) {
  INFO(kind << " " << name);
  const std::vector<Timeline::Span> found = spans(timeline, kind, name);
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().begin_s == Approx(begin).margin(1e-9));
  CHECK(found.front().end_s == Approx(end).margin(1e-9));
  CHECK_FALSE(found.front().cut);
}

double length(const Timeline::Span& span) { return span.end_s - span.begin_s; }

}  // namespace

TEST_CASE("a restart shows what it consists of, and the steps that are done again") {
  // The step under way when the host fails ends at 20.1 s. Somebody notices at 21.05 s; 2 s for
  // another host, 3 s for processes, 4 s to initialise. Without a save 200 steps are done again.
  const Timeline timeline = recorded(failing("20.05 s"), {.end_s = 61.0});
  CHECK(fault_of(timeline).empty());
  check_span(timeline, "rank", "restart", 20.1, 30.05);
  check_span(timeline, "rank", "detect", 20.1, 21.05);
  check_span(timeline, "rank", "start again", 21.05, 30.05);
  check_span(timeline, "rank", "replace", 21.05, 23.05);
  check_span(timeline, "rank", "start processes", 23.05, 26.05);
  check_span(timeline, "rank", "initialise", 26.05, 30.05);
  CHECK(spans(timeline, "rank", "waiting for a spare").empty());
  CHECK(spans(timeline, "rank", "restore").empty());
  check_span(timeline, "failure", "failure", 20.05, 50.05);
  check_span(timeline, "failure", "restart", 20.05, 30.05);
  check_span(timeline, "failure", "lost steps", 30.05, 50.05);
  CHECK(spans(timeline, "failure", "failure").front().number == 1);
}

TEST_CASE("without a spare a restart shows the wait for the repair") {
  // 30 s from the failure, of which 1 s went by until it was noticed.
  Design design = failing("20.05 s");
  set(design.failures[0], Role::failure, "repair", "30 s");
  set(*design.jobs[0].recovery, Role::recovery, "spares", "0");
  const Timeline timeline = recorded(design, {.end_s = 100.0});
  check_span(timeline, "rank", "waiting for a spare", 21.05, 50.05);
}

TEST_CASE("a restart shows that the newest save is read, and what that waits for") {
  Design design = failing("20.05 s", "process");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "60"}, {"size", "320 GB"}, {"serializer", "none"}});
  const Timeline timeline = recorded(design, {.end_s = 60.0});
  CHECK(fault_of(timeline).empty());
  const auto restore = spans(timeline, "rank", "restore");
  REQUIRE_FALSE(restore.empty());
  CHECK(timeline.cause(restore.front()) != "");
  CHECK(timeline.cause(restore.front()) != "job.train.failures");
  // Its parts are the restart.
  double parts = length(restore.front());
  for (const char* part : {"detect", "start again"})
    parts += length(spans(timeline, "rank", part).front());
  CHECK(parts == Approx(length(spans(timeline, "rank", "restart").front())).epsilon(1e-9));
}

TEST_CASE("a failure before the job is where it was restarts the same failure") {
  Design design = failing("20.05 s");
  design.failures.push_back(component(Role::failure, "process", "again", {{"at", "35.05 s"}}));
  const Timeline timeline = recorded(design, {.end_s = 61.0});
  CHECK(fault_of(timeline).empty());
  CHECK(spans(timeline, "failure", "failure").size() == 1);
  CHECK(spans(timeline, "failure", "restart").size() == 2);
}

TEST_CASE("collectives that run alongside compute are shown next to it") {
  // ddp: buckets run alongside 0.9 x 67 % of 100 ms, so they may begin after 39.7 ms of a step.
  Design design = small_design();
  design.jobs[0].model = component(Role::model, "dense", "model", {{"parameters", "1e9"}});
  design.jobs[0].communication = component(Role::communication, "ddp", "communication", {});
  set(design.run, Role::run, "duration", "2 s");
  const Timeline timeline = recorded(design, {.end_s = 10.0});
  CHECK(fault_of(timeline).empty());
  const auto steps = spans(timeline, "rank", "step");
  const auto hidden = spans(timeline, "communication", "beside compute");
  const auto exposed = spans(timeline, "communication", "exposed");
  REQUIRE(hidden.size() == steps.size());
  REQUIRE(exposed.size() == steps.size());
  const double time = metric(run(design), "job.train.communication.time");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(hidden[i].number == steps[i].number);
    CHECK(hidden[i].begin_s - steps[i].begin_s == Approx(0.1 - 0.9 * 0.67 * 0.1).epsilon(1e-9));
    CHECK(length(hidden[i]) + length(exposed[i]) == Approx(time).epsilon(1e-9));
    CHECK(exposed[i].end_s <= steps[i].end_s + 1e-12);
  }
}

TEST_CASE("a fault of storage is shown from its date to its repair") {
  Design design = small_design();
  design.failures.push_back(
      component(Role::failure, "storage", "fault",
                {{"on", "scratch"}, {"at", "20 s"}, {"failover", "10 s"}, {"repair", "20 s"}}));
  const Timeline timeline = recorded(design, {.end_s = 60.0});
  CHECK(fault_of(timeline).empty());
  check_span(timeline, "failure", "server down", 20.0, 30.0);
  check_span(timeline, "failure", "degraded until the repair", 30.0, 50.0);
  CHECK(timeline.tracks.back().name == "fault of storage scratch");
}

TEST_CASE("operations of tenants are shown on a few lanes, with what they wait for") {
  Design design = small_design();
  design.tenants.push_back(component(
      Role::tenant, "inference", "kv",
      {{"on", "scratch"}, {"hosts", "gpu"}, {"rate", "100 ops/s"}, {"request", "200 MB"}}));
  const Timeline timeline = recorded(design, {.end_s = 5.0});
  CHECK(fault_of(timeline).empty());
  CHECK(spans(timeline, "tenant", "read").size() > 20);
  const auto lanes = std::count_if(timeline.tracks.begin(), timeline.tracks.end(),
                                   [](const Timeline::Track& t) { return t.kind == "tenant"; });
  CHECK(lanes >= 1);
  CHECK(lanes <= 8);
  const auto reads = spans(timeline, "tenant", "read");
  CHECK(std::any_of(reads.begin(), reads.end(),
                    [&](const Timeline::Span& span) { return !timeline.cause(span).empty(); }));
}

TEST_CASE("a job to which nothing happens has no lanes for it") {
  Design design = failing("59 s");
  for (const Timeline::Track& track : recorded(design, {.end_s = 10.0}).tracks)
    CHECK(track.kind == "rank");
}

TEST_CASE("a window begins with the first step that begins after its date") {
  // Steps of 100 ms: with that of 0.6 s, not where the run begins.
  const Timeline timeline = recorded(small_design(), {.begin_s = 0.55, .end_s = 2.0});
  CHECK(timeline.begin_s == Approx(0.6));
  CHECK(fault_of(timeline) == "");
}

TEST_CASE("a window begins with the steps of whatever job makes some") {
  // Two jobs of 100 ms a step, one of 2 s, the other of 60.
  Design design = small_design();
  design.jobs.push_back(design.jobs[0]);
  design.jobs[1].job.id = "other";
  for (JobDesign& job : design.jobs) {
    set(job.job, Role::job, "accelerators", "16");
    set(job.job, Role::job, "epochs", "1");
  }
  design.run.values.erase("duration");
  for (const auto& [first, second] : {std::pair{"20", "600"}, {"600", "20"}}) {
    set(design.jobs[0].job, Role::job, "steps", first);
    set(design.jobs[1].job, Role::job, "steps", second);
    const Timeline timeline = recorded(design, {.begin_s = 30.05, .end_s = 32.05});
    INFO(first << " and " << second << " steps");
    CHECK(timeline.begin_s == Approx(30.1));
    CHECK(timeline.end_s == Approx(32.05));
    CHECK(spans(timeline, "rank", "step").size() == 20);
  }
}

TEST_CASE("a window in which no step is under way begins at its date") {
  // From 20.1 to 30.05 s a job is on its way back from a failure.
  const Timeline timeline = recorded(failing("20.05 s"), {.begin_s = 22.0, .end_s = 31.0});
  CHECK(timeline.begin_s == Approx(22.0));
  CHECK(timeline.end_s == Approx(31.0));
  REQUIRE_FALSE(spans(timeline, "rank", "replace").empty());
  CHECK(length(spans(timeline, "rank", "replace").front()) == Approx(1.05));
  CHECK(fault_of(timeline) == "");
}

TEST_CASE("how long a rank class waits does not depend on when it does") {
  Timeline timeline;
  timeline.texts = {"wait for data"};
  // 5 s at the beginning, 3 s and 1 s later
  const std::vector<std::pair<double, double>> waits = {{200.0, 201.0}, {0.0, 5.0}, {100.0, 103.0}};
  for (std::size_t c = 0; c < waits.size(); ++c) {
    timeline.tracks.push_back(
        {.kind = "rank", .job = "train", .name = "rank", .rank_class = static_cast<int>(c)});
    timeline.spans.push_back({.track = static_cast<std::uint32_t>(c),
                              .begin_s = waits[c].first,
                              .end_s = waits[c].second});
  }
  models::keep_chosen({}, timeline);
  REQUIRE(timeline.tracks.size() == 3);
  std::map<std::string, double> shown;
  for (const Timeline::Track& track : timeline.tracks) shown[track.chosen] = track.waiting_s;
  CHECK(shown == std::map<std::string, double>{{"worst", 5.0}, {"median", 3.0}, {"best", 1.0}});
}

}  // namespace timeline_events_test
