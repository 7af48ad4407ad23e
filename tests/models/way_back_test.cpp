#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "models/failure/renewal.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

namespace way_back_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::FailureSource;
using models::JobHistory;
using models::JobProcess;
using models::Role;
using models::Scope;

/// Failures that come while a job is on its way back. Equation 14 of docs/models/failures.md.
namespace {

// 16 hosts that each fail every 100 h and are back a day later; a save of 1 s every 10 min.
JobProcess waiting_for(std::int64_t spares) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.stalls = {1_s};
  job.tiers = {{.lost_with = Scope::beyond, .restore = {}, .after = {1_s}}};
  job.failures = {{.id = "host", .mtbf = 6.25_h, .scope = Scope::host, .repair = 24_h}};
  job.recovery.detect = 10_s;
  job.recovery.start = 1_min;
  job.recovery.spares = spares;
  job.recovery.horizon = 2400_h;
  return job;
}

// P(n > spares) of n hosts being repaired, which is Poisson of 24 / 6.25
double none_left(std::int64_t spares) {
  double term = std::exp(-24.0 / 6.25), some = 0.0;
  for (std::int64_t n = 0; n <= spares; ++n) {
    some += term;
    term *= 24.0 / 6.25 / static_cast<double>(n + 1);
  }
  return 1.0 - some;
}

// 4 hosts, steps of 100 ms, 60 s. A host is lost at 20.05 s and back 20 s later; 2 s until it is in
// the job, and 3 + 4 s until that works: 29 s.
Design without_spares() {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  design.jobs[0].recovery = component(
      Role::recovery, "restart", "recovery",
      {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}, {"spares", "0"}});
  design.failures.push_back(
      component(Role::failure, "host", "loss", {{"at", "20.05 s"}, {"repair", "20 s"}}));
  return design;
}

// Processes that need 1 + 3 + 4 s from a failure until they can load, and 32 GB saved by `mode`
// every 6 s of steps, at 32 GB/s and read at 1.6 GB/s.
Design saver(const char* mode, Settings more) {
  Design design = without_spares();
  design.failures.clear();
  set(design.run, Role::run, "duration", "2 min");
  set(design.storage[0], Role::storage, "ost.read", "200 MB/s");
  save_by_steps(design, mode);
  for (const auto& [key, text] : more) set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
  return design;
}

void fail(Design& design, const char* at) {
  design.failures.push_back(component(Role::failure, "process", at, {{"at", at}}));
}

double restart(const RunResult& result, const char* what) {
  return metric(result, std::string("job.train.restart.") + what);
}

}  // namespace

TEST_CASE(
    "way back: a job waits for hosts while too many are being repaired, whatever else fails") {
  const auto spares = GENERATE(0, 2, 4);
  INFO(spares << " spares");
  const JobProcess alone = waiting_for(spares);
  const JobHistory mean = models::outlook(alone, 600, 1, 100).mean;
  CHECK(mean.waiting / mean.own() == Approx(none_left(spares)).margin(0.01));
  JobProcess both = alone;
  both.failures.push_back({.id = "process", .mtbf = 1_h, .scope = Scope::process, .repair = 1_s});
  const JobHistory more = models::outlook(both, 600, 1, 100).mean;
  CHECK(more.waiting / more.own() == Approx(mean.waiting / mean.own()).epsilon(1e-9));
  CHECK(more.kept < mean.kept);
}

TEST_CASE("way back: what a job still saves when it is over is not lost") {
  Design design = saver("async", {{"flush_rate", "3.2 GB/s"}});
  set(design.jobs[0].job, Role::job, "steps", "60");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  const RunResult whole = run(design);
  CHECK(metric(whole, "job.train.checkpoint.duration") == Approx(10.0).epsilon(0.01));
  fail(design, "10 s");
  const RunResult result = run(design);
  CHECK_THAT(result.warnings.back(), Catch::Contains("it does nothing to it"));
  CHECK(metric(result, "job.train.checkpoint.duration") ==
        metric(whole, "job.train.checkpoint.duration"));
}

TEST_CASE("way back: more failures never shorten the wait for hosts") {
  const auto spares = GENERATE(0, 1, 3);
  const JobProcess alone = waiting_for(spares);
  for (const FailureSource& added :
       {FailureSource{.id = "brief", .mtbf = 2_h, .scope = Scope::host, .repair = 1_s},
        FailureSource{.id = "rack", .mtbf = 8_h, .scope = Scope::rack, .group = 4, .repair = 1_min},
        FailureSource{.id = "process", .mtbf = 20_s, .scope = Scope::process, .repair = 1_s}}) {
    JobProcess both = alone;
    both.failures.push_back(added);
    for (std::uint64_t run = 0; run < 20; ++run) {
      INFO(added.id << ", " << spares << " spares, history " << run);
      const JobHistory few = models::history(alone, 600, 1, run);
      const JobHistory more = models::history(both, 600, 1, run);
      CHECK(more.waiting >= few.waiting * (1.0 - 1e-9));
      CHECK(more.horizon() / few.horizon() == Approx(1.0).epsilon(1e-9));
    }
  }
}

TEST_CASE("way back: parts of saves that were lost are none of those that arrived") {
  // flushes of 5 s, of which two are lost
  Design design = saver("async", {{"flush_rate", "6.4 GB/s"}});
  fail(design, "8 s");
  fail(design, "110 s");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.backpressure.max") == 0.0);
  double sum = 0.0;
  for (const auto& [name, figure] : result.metrics)
    if (name.starts_with("job.train.checkpoint.took.")) sum += figure.value;
  CHECK(sum == Approx(metric(result, "job.train.checkpoint.duration")).epsilon(1e-9));
}

TEST_CASE("way back: another host is put in place once, whatever fails meanwhile") {
  // A host is lost every 10 h, processes every 10 min: the job is not back while one came in the
  // last 2 h and 70 s, or in the last 70 s.
  JobProcess job = waiting_for(0);
  job.failures[0].mtbf = 10_h;
  job.recovery.spares.reset();
  job.recovery.replace = 2_h;
  job.failures.push_back({.id = "process", .mtbf = 10_min, .scope = Scope::process, .repair = 1_s});
  const JobHistory mean = models::outlook(job, 600, 1, 100).mean;
  const double back = std::exp(-7270.0 / 36000.0 - 70.0 / 600.0);
  CHECK(mean.restart / mean.own() == Approx(1.0 - back).epsilon(0.02));
}

TEST_CASE("way back: at a date, nothing that fails brings a host back sooner") {
  Design design = without_spares();
  double duration = 29.0, waiting = 19.0;
  SECTION("alone") {}
  SECTION("processes fail while a host is waited for") {
    design.failures.push_back(component(Role::failure, "process", "next", {{"at", "25.05 s"}}));
  }
  SECTION("processes fail at the same date") {
    design.failures.push_back(component(Role::failure, "process", "next", {{"at", "20.05 s"}}));
  }
  SECTION("processes fail while another host is put in place") {
    design.failures.push_back(component(Role::failure, "process", "next", {{"at", "41 s"}}));
  }
  SECTION("a host fails that is back before") {
    design.failures.push_back(
        component(Role::failure, "host", "next", {{"at", "25.05 s"}, {"repair", "3 s"}}));
  }
  SECTION("but a host that is back later is waited for") {
    design.failures.push_back(
        component(Role::failure, "host", "next", {{"at", "25.05 s"}, {"repair", "18 s"}}));
    duration = 32.0, waiting = 22.0;
  }
  SECTION("and processes that fail as they start do so again") {
    design.failures.push_back(component(Role::failure, "process", "next", {{"at", "45.05 s"}}));
    duration = 25.0 + 1.0 + 7.0;
  }
  const RunResult result = run(design);
  CHECK(restart(result, "count") == 1.0);
  CHECK(restart(result, "duration") == Approx(duration).epsilon(1e-9));
  CHECK(restart(result, "waiting") == Approx(waiting).epsilon(1e-9));
  CHECK(result.limited_by.at("job.train.restart.duration") == "job.train.spares");
}

// Lost at 20.05 s, noticed at 21.05 s, and read from 28.05 s on, for 20 s; lost again at 40.05 s.
TEST_CASE("way back: a failure during the restore is noticed as any other") {
  Design design = saver("sync", {});
  fail(design, "20.05 s");
  SECTION("that is given") {
    set(*design.jobs[0].recovery, Role::recovery, "restore", "20 s");
    CHECK(restart(run(design), "duration") == Approx(28.0).epsilon(1e-9));
    fail(design, "40.05 s");
    CHECK(restart(run(design), "duration") == Approx(28.0 + 20.0).epsilon(1e-9));
  }
  SECTION("that is simulated") {
    const double alone = restart(run(design), "restore.duration");
    CHECK(alone == Approx(20.0).epsilon(0.01));
    fail(design, "40.05 s");
    const RunResult twice = run(design);
    CHECK(restart(twice, "count") == 1.0);
    CHECK(restart(twice, "restore.duration") == Approx(alone).epsilon(1e-6));
    CHECK(restart(twice, "duration") == Approx(28.0 + alone).epsilon(1e-6));
  }
  SECTION("after it: it is read in pieces for nothing") {
    const double alone = restart(run(design), "restore.duration");
    fail(design, "118 s");
    CHECK(restart(run(design), "restore.duration") == Approx(alone).epsilon(1e-6));
  }
}

TEST_CASE("a failure after the end of the job takes nothing from it") {
  Design design = without_spares();
  design.run.values.erase("duration");
  set(design.jobs[0].job, Role::job, "steps", "100");  // 10 s
  const RunResult result = run(design);
  for (const char* what :
       {"count", "duration", "restore.duration", "waiting", "lost_work", "lost_steps", "caught_up"})
    CHECK(metric(result, std::string("job.train.restart.") + what) == 0.0);
  CHECK(metric(result, "job.train.goodput") == Approx(1.0).epsilon(0.01));
}

TEST_CASE("a way back that waits for no spare and reads no save took no time for it") {
  Design design = without_spares();
  set(*design.jobs[0].recovery, Role::recovery, "spares", "1");
  save_by_steps(design, "sync");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "every_steps", "300");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.restart.count") == 1.0);
  CHECK(metric(result, "job.train.restart.waiting") == 0.0);
  CHECK(metric(result, "job.train.restart.restore.duration") == 0.0);
}

TEST_CASE("hosts that no job runs on are not told apart for a failure") {
  Design design = without_spares();
  design.hosts.push_back(design.hosts.front());
  design.hosts.back().id = "idle";
  for (const char* hosts : {"gpu", "idle"}) {
    set(design.failures[0], Role::failure, "hosts", hosts);
    CHECK(models::Plant(design).groups("gpu").size() == (hosts == std::string("gpu") ? 2 : 1));
    CHECK(models::Plant(design).groups("idle").size() == 1);
  }
}

}  // namespace way_back_test
