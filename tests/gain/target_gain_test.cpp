#include <catch2/catch.hpp>
#include <string>

#include "tests/gain/ranked.hpp"

/// What limits a missed target is what changes the metric of that, and no other.
namespace target_gain_test {

using namespace stallcast;
using testing::ranked;
using testing::two_stages;

namespace {

// Every minute 96 GB are saved over 12 OSTs of 1 GB/s: in 8 s. `also` of a save, of the scenario.
ScenarioFile saving(const std::string& target, const std::string& of_saves = "",
                    const std::string& also = "") {
  return {.file = "saving.json",
          .text = R"({
  "id": "saving",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": 12, "read": "1 GB/s", "write": "1 GB/s", "service": "0 s" },
                 "oss": { "count": 1, "nic": "800 Gb/s" },
                 "stripe": { "count": 0 }, "commit": "0 s", "lock": "0 s", "raid": { "parity": 0 },
                 "client": { "stream": "100 GB/s", "stream_direct": "100 GB/s", "checksums": false } } ],
  "jobs": [ { "id": "train", "hosts": "gpu",
              "barrier": { "base": "0 s", "per_doubling": "0 s" },
              "step": { "compute": "1 s", "jitter": "0 %" },
              "checkpoint": { "to": "scratch", "size": "96 GB", "every": "60 s",)" +
                  of_saves + R"( "serializer": "none" } } ],)" + also + R"(
  "expect": [ { "id": "t", "that": ")" +
                  target + R"(" } ],
  "run": { "duration": "20 min", "replicas": 1 }
})"};
}

// From second 61 on, a second into the first save, nothing is served for 30 s.
const char* const kOutage = R"(
  "failures": [ { "id": "power", "type": "storage", "on": "scratch", "part": "service",
                  "at": "61 s", "failover": "30 s", "repair": "1 s" } ],)";

}  // namespace

TEST_CASE("an outage is what a save that it holds up is limited by") {
  for (const char* target :
       {"job.train.checkpoint.stall.max <= 10 s", "job.train.checkpoint.duration.max <= 10 s"}) {
    INFO(target);
    const Prediction p = ranked(saving(target, "", kOutage));
    REQUIRE(p.assertions.size() == 1);
    CHECK(p.assertions.front().status == "fail");
    CHECK(p.assertions.front().limited_by == "failure.power");
    // 38 s are 8 s without it.
    REQUIRE(p.assertions.front().change.has_value());
    CHECK(*p.assertions.front().change == Approx(8.0 / 38.0 - 1.0).epsilon(0.02));
    // The run says as much by itself, for verbs that try nothing: 30 s of 19 saves.
    CHECK(p.limited_by.at("job.train.checkpoint.stall.max") == "failure.power");
    CHECK(p.limited_by.at("job.train.checkpoint.stall") == "storage.scratch.ost");
    CHECK(p.metrics.at("job.train.checkpoint.took.failure.power").value ==
          Approx(30.0 / 19.0).epsilon(1e-6));
  }
}

// What is tried then ends with a whole cycle of steps and has no duration; a run that is looked at
// for half as long is nothing that is twice as fast.
TEST_CASE("targets on saves that are counted in steps are tried where a duration ends the run") {
  ScenarioFile file = saving("job.train.checkpoint.duration <= 5 s");
  const std::string every = R"("every": "60 s")";
  file.text->replace(file.text->find(every), every.size(), R"("every_steps": 60)");
  const Prediction p = ranked(file);
  REQUIRE(p.assertions.size() == 1);
  CHECK(p.assertions.front().limited_by.starts_with("storage.scratch.ost"));
  REQUIRE(p.assertions.front().change.has_value());
  CHECK(*p.assertions.front().change == Approx(-0.5).epsilon(0.01));
}

TEST_CASE("a save that no step waits for is limited by what it gains from") {
  // All of it goes on beside the steps: no part costs the job time, and none was tried for that.
  const Prediction p =
      ranked(saving("job.train.checkpoint.duration <= 5 s", R"("mode": "async",)"));
  REQUIRE(p.assertions.size() == 1);
  CHECK(p.assertions.front().limited_by.starts_with("storage.scratch.ost"));
  REQUIRE(p.assertions.front().change.has_value());
  CHECK(*p.assertions.front().change == Approx(-0.5).epsilon(0.05));
}

TEST_CASE("a target of requests is limited by what makes these faster, not by who waits") {
  // One request at a time waits for the latency of a drive, which direct reads name the stream of.
  const Prediction p = ranked({.file = "direct.json", .text = R"({
  "id": "direct",
  "cluster": { "hosts": [ { "id": "h", "count": 1, "gpus": 0 } ] },
  "storage": [ { "id": "d", "type": "local",
                 "drive": { "count": 1, "read": "7 GB/s", "write": "5 GB/s", "latency": "100 us" } } ],
  "tenants": [ { "id": "t", "type": "fio", "on": "d", "hosts": "h", "rw": "randread", "bs": "4 KiB",
                 "iodepth": 1, "numjobs": 1, "direct": true } ],
  "run": { "duration": "5 s", "replicas": 1 },
  "expect": [ { "id": "iops", "that": "tenant.t.operations >= 1 Mops/s" } ]
})"});
  REQUIRE(p.assertions.size() == 1);
  const AssertionOutcome& iops = p.assertions.front();
  CHECK(iops.limited_by == "storage.d.drives.latency");
  REQUIRE(iops.change.has_value());
  CHECK(*iops.change == Approx(1.0).epsilon(0.05));
}

TEST_CASE("a stage begins as late as those before it let it") {
  const Prediction p = ranked(
      two_stages(R"(, "expect": [ { "id": "begins", "that": "stage.load.start <= 1 h" } ])"));
  REQUIRE(p.assertions.size() == 1);
  // 5,000 s of cores, which twice as fast take half as long.
  CHECK(p.assertions.front().limited_by == "host.prep.cpu");
  REQUIRE(p.assertions.front().change.has_value());
  CHECK(*p.assertions.front().change == Approx(-0.5).epsilon(0.02));
  CHECK(p.limited_by.at("stage.load.start") == "host.prep.cpu");
}

TEST_CASE("gains of the time say goodput where work is lost") {
  // A process dies at 650 s: what was computed since the last save is computed twice.
  const Prediction p = ranked(saving("job.train.goodput >= 99 %", "", R"(
  "failures": [ { "id": "bug", "type": "process", "at": "650 s" } ],)"));
  const auto& first = p.bottlenecks.front();
  REQUIRE(first.gain.has_value());
  REQUIRE(first.gain->goodput.has_value());
  const double was = p.metrics.at("job.train.goodput").value;
  CHECK(was / (was + *first.gain->goodput) == Approx(1.0 - first.gain->time).epsilon(0.01));
}

}  // namespace target_gain_test
