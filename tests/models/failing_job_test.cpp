#include <catch2/catch.hpp>
#include <cmath>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"

namespace failing_job_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

// Failures of whole designs: what the detailed run measures, and what months make of it.
namespace {

// 32 GPUs, 100 ms steps; 32 GB saved every 60 steps in 1 s + 0.03 s of snapshot.
Design saver(const char* mode = "sync") {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  design.jobs[0].checkpoint = component(
      Role::checkpoint, mode, "checkpoint",
      {{"to", "scratch"}, {"every_steps", "60"}, {"size", "32 GB"}, {"serializer", "none"}});
  return design;
}

Design failing(Settings failure, Settings recovery = {}, const char* mode = "sync") {
  Design design = saver(mode);
  design.failures.push_back(component(Role::failure, "host", "gpu", failure));
  design.jobs[0].recovery = component(
      Role::recovery, "restart", "recovery",
      {{"detect", "1 s"}, {"replace", "0 s"}, {"start", "1 s"}, {"init", "0 s"}, {"runs", "200"}});
  for (const auto& [key, text] : recovery) set(*design.jobs[0].recovery, Role::recovery, key, text);
  return design;
}

}  // namespace

TEST_CASE("failing job: without failures nothing changes") {
  Design design = saver();
  const RunResult before = run(design);
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
  RunResult after = run(design);
  CHECK(after.metrics.erase("job.train.startup") == 1);  // what recovery says of every start
  CHECK(after.metrics.size() == before.metrics.size());
  CHECK(metric(before, "job.train.goodput") == metric(before, "job.train.gpu.utilization"));
  CHECK(before.breakdown == after.breakdown);
}

TEST_CASE("failing job: a failure that never comes leaves steps and saves in turn") {
  const RunResult after = run(failing({{"mtbf", "1e9 h"}}));
  // 60 steps of 100 ms and a save of 1.03 s in turn, over a minute and over a month
  CHECK(metric(after, "job.train.goodput") == Approx(6.0 / 7.03).epsilon(0.003));
  CHECK(metric(after, "job.train.failures.count") == 0.0);
}

TEST_CASE("failing job: what a thread slows down while it flushes is in the months, too") {
  for (const char* every : {"60", "8"}) {  // at times, and all the time
    const auto flushed_by = [&](Design design) {
      set(*design.jobs[0].checkpoint, Role::checkpoint, "flush", "thread");
      set(*design.jobs[0].checkpoint, Role::checkpoint, "slowdown", "30 %");
      set(*design.jobs[0].checkpoint, Role::checkpoint, "every_steps", every);
      set(design.run, Role::run, "duration", "10 min");
      return run(design);
    };
    const RunResult without = flushed_by(saver("async"));
    const RunResult never = flushed_by(failing({{"mtbf", "1e9 h"}}, {}, "async"));
    CHECK(metric(without, "job.train.checkpoint.slowed") > 0.2);
    CHECK(metric(never, "job.train.goodput") ==
          Approx(metric(without, "job.train.goodput")).epsilon(0.003));
    CHECK(never.breakdown.at("train").at("checkpoint") ==
          Approx(without.breakdown.at("train").at("checkpoint")).epsilon(0.03));
    // It is part of what a save costs.
    const double cost = metric(never, "job.train.checkpoint.slowed") +
                        metric(never, "job.train.checkpoint.stall") -
                        metric(never, "job.train.checkpoint.backpressure");
    CHECK(metric(never, "job.train.checkpoint.best_interval.young") ==
          Approx(std::sqrt(2.0 * cost * 3.6e12 / 32.0) + cost).epsilon(1e-6));
  }
}

TEST_CASE("failing job: one that fails before it starts says so, and walks through no month") {
  // 32 GPUs, each once in 3.2 s: every 0.1 s, 26 million times in a month; a restart takes 5 s
  const RunResult result = run(failing({{"mtbf", "3.2 s"}}, {{"start", "4 s"}}));
  CHECK(metric(result, "job.train.goodput") == 0.0);
  CHECK(metric(result, "job.train.failures.restart.share") == 1.0);
  CHECK(metric(result, "job.train.failures.count") == Approx(25'920'000.0));
  CHECK(result.breakdown.at("train").at("restart") == 1.0);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0], Catch::Contains("hardly gets back to work"));
}

TEST_CASE("failing job: goodput is utilization less work that is done again") {
  // 32 GPUs, one failure in 3200 h each: every 100 h. Restarts: 2 s and the state at 32 GB/s, 1 s.
  const RunResult result = run(failing({{"mtbf", "3200 h"}}));
  CHECK(metric(result, "job.train.failures.mtbf") == Approx(360000.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.failures.restart") == Approx(3.0).epsilon(1e-6));
  // half of 6 s of work, half of the 1.03 s of a save that is cut off costs 0.15 of 6 s more
  CHECK(metric(result, "job.train.failures.lost_work") == Approx(3.0 + 0.44).epsilon(0.05));
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("compute") ==
        Approx(metric(result, "job.train.goodput")).epsilon(1e-9));
  CHECK(metric(result, "job.train.goodput.p5") <= metric(result, "job.train.goodput"));
}

TEST_CASE("failing job: a group of which it has a part fails as a full one, and takes that part") {
  // 4 hosts, of which groups of 16 and 4 are one group, and those of 3 two of two hosts each
  struct Case {
    const char *group, *enough, *few;  ///< spares
    double every;                      ///< hours
  };
  for (const Case& one : {Case{"16", "4", "3", 100.0},
                          {"4", "4", "3", 100.0},
                          {"3", "2", "1", 50.0},
                          {"2", "2", "1", 50.0}}) {
    const auto with_spares = [&](const char* spares) {
      Design design = failing({}, {{"horizon", "300 d"}, {"spares", spares}});
      design.failures[0] = component(Role::failure, "rack", "rack",
                                     {{"mtbf", "100 h"}, {"group", one.group}, {"repair", "1 h"}});
      return run(design);
    };
    const RunResult enough = with_spares(one.enough), few = with_spares(one.few);
    CHECK(metric(enough, "job.train.failures.mtbf") == Approx(one.every * 3600.0).epsilon(1e-9));
    // Of failures within the hour of a repair
    CHECK(metric(enough, "job.train.failures.waiting.share") < 1.0 / (one.every * one.every));
    CHECK(metric(few, "job.train.failures.waiting.share") ==
          Approx(1.0 - std::exp(-1.0 / one.every)).epsilon(0.05));
  }
}

TEST_CASE("failing job: months pay the warm-up of each start, and that of the run shown once") {
  Design design = failing({{"mtbf", "1e9 h"}});
  set(design.jobs[0].step, Role::step, "warm_up", "30 s");
  CHECK(metric(run(design), "job.train.goodput") == Approx(6.0 / 7.03).epsilon(0.003));
  design = failing({{"mtbf", "3200 h"}});
  set(design.jobs[0].step, Role::step, "warm_up", "30 s");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.failures.restart") == Approx(33.0).epsilon(1e-6));
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("compute") ==
        Approx(metric(result, "job.train.goodput")).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("cpu") == Approx(0.0).margin(1e-9));
}

TEST_CASE("failing job: redone work is utilization and no goodput") {
  const RunResult result = run(failing({{"mtbf", "32 h"}}));  // one an hour
  CHECK(metric(result, "job.train.gpu.utilization") > metric(result, "job.train.goodput"));
}

TEST_CASE("failing job: what failures cost is limited by them, and where they cost most all is") {
  RunResult result = run(failing({{"mtbf", "3200 h"}}));  // saves take more: 15 % of the time
  CHECK(result.limited_by.at("job.train.failures") == "job.train.failures");
  CHECK_FALSE(result.limited_by.contains("job.train.run.time"));
  result = run(failing({{"mtbf", "3 h"}}, {{"start", "60 s"}}));
  for (const char* metric : {"goodput", "run.time", "failures"})
    CHECK(result.limited_by.at(std::string("job.train.") + metric) == "job.train.failures");
}

TEST_CASE("failing job: a restore that is given replaces the estimate") {
  const RunResult result = run(failing({{"mtbf", "3200 h"}}, {{"restore", "10 s"}}));
  CHECK(metric(result, "job.train.failures.restart") == Approx(12.0).epsilon(1e-3));
}

TEST_CASE("failing job: a restore within the hosts waits for the rank or host that has most") {
  // 32 GB of rank 0 over one GPU's 55 GB/s, or from one host's drives at 8 GB/s; 2 s before that
  const auto restart = [](Design design) {
    set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "rank0");
    design.failures[0] = component(Role::failure, "process", "fault", {{"mtbf", "100 h"}});
    return metric(run(design), "job.train.failures.restart");
  };
  Design memory = failing({{"mtbf", "3200 h"}}, {}, "async"),
         drives = failing({{"mtbf", "3200 h"}});
  set(*memory.jobs[0].checkpoint, Role::checkpoint, "tiers", "host-memory,scratch");
  CHECK(restart(memory) == Approx(2.0 + 32.0 / 55).epsilon(1e-3));
  drives.storage[0] =
      component(Role::storage, "local", "scratch",
                {{"drive.count", "1"}, {"drive.read", "8 GB/s"}, {"drive.write", "8 GB/s"}});
  CHECK(restart(drives) == Approx(2.0 + 4.0).epsilon(1e-3));
}

TEST_CASE("failing job: what lies in a pool that hosts share is not lost with one of them") {
  // 6 s between two saves, of 32 GB at 4 x 55 GB/s to and from the pool; 2 s before that
  Design design = failing({{"mtbf", "3200 h"}});
  design.storage = {component(Role::storage, "cxl", "scratch", {{"device.count", "4"}})};
  const RunResult result = run(design);
  const double moved = 32.0 / 220.0;
  CHECK(metric(result, "job.train.failures.restart") == Approx(2.0 + moved).epsilon(0.05));
  CHECK(metric(result, "job.train.failures.lost_work") == Approx(3.0 + moved).epsilon(0.1));
}

TEST_CASE("failing job: failures of another host class do not concern it") {
  Design design = failing({{"mtbf", "32 h"}});
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "1"}}));
  set(design.failures[0], Role::failure, "hosts", "other");
  const RunResult result = run(design);
  CHECK(result.metrics.count("job.train.failures.mtbf") == 0);
  CHECK(metric(result, "job.train.goodput") == metric(run(saver()), "job.train.goodput"));
}

TEST_CASE("failing job: the best interval and those of Young and Daly") {
  // delta = 1.0337 s, M = 100 h: sqrt(2 delta M) = 863 s of work between two saves
  const RunResult result = run(failing({{"mtbf", "3200 h"}}));
  const double stall = metric(result, "job.train.checkpoint.stall");
  CHECK(metric(result, "job.train.checkpoint.best_interval.young") ==
        Approx(std::sqrt(2.0 * stall * 360000.0) + stall).epsilon(1e-9));
  const double best = metric(result, "job.train.checkpoint.best_interval");
  CHECK(best > 500.0);
  CHECK(best < 1500.0);
  CHECK(metric(result, "job.train.checkpoint.best_interval.goodput") >
        metric(result, "job.train.goodput"));
}

TEST_CASE("failing job: a crash of the program finds the snapshot in host memory") {
  const auto lost = [](const char* kind, const char* tiers) {
    Design design = failing({{"mtbf", "3200 h"}}, {}, "async");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "tiers", tiers);
    design.failures[0] =
        component(Role::failure, kind, "fault", {{"mtbf", "100 h"}, {"per", "host"}});
    return metric(run(design), "job.train.failures.lost_work");
  };
  // 6 s between two saves; 0.03 s of snapshot, 8 GB to a peer in 0.17 s, 1 s to the storage
  CHECK(lost("process", "host-memory,scratch") == Approx(3.0).epsilon(0.05));
  CHECK(lost("host", "host-memory,scratch") == Approx(4.0).epsilon(0.05));
  CHECK(lost("host", "host-memory,peer-memory,scratch") == Approx(3.2).epsilon(0.05));
}

TEST_CASE("failing job: a run without a save says nothing of goodput") {
  Design design = failing({{"mtbf", "32 h"}});
  set(*design.jobs[0].checkpoint, Role::checkpoint, "every_steps", "100000");
  const RunResult result = run(design);
  CHECK(result.metrics.count("job.train.goodput") == 0);
  REQUIRE(result.warnings.size() == 2);
}

TEST_CASE("failing job: how often it fails, and how often to save, need no simulation") {
  // 32 GPUs of 3200 h: 100 h; a save of at least 8 GB a host at 300 GB/s of DRAM and 32 GB at 32
  // GB/s
  const models::Bounds bounds = models::bounds(failing({{"mtbf", "3200 h"}}));
  const auto value = [&](const std::string& name) {
    for (const models::Derivation& d : bounds.derivations)
      if (d.name == name) return d.value;
    return 0.0;
  };
  CHECK(value("job.train.failures.mtbf") == Approx(360000.0).epsilon(1e-12));
  CHECK(value("job.train.checkpoint.interval.young") ==
        Approx(std::sqrt(2.0 * (1.0 + 8.0 / 300.0) * 360000.0)).epsilon(1e-9));
}

TEST_CASE("failing job: CheckFreq's rule keeps saves under 3.5 % of the time") {
  // CheckFreq (FAST 2021) lengthens the interval until saves cost 3.5 %: stall / 0.035, unless the
  // flush takes longer. A BERT-large of 340e6 x 16 B = 5.44 GB from one of 8 V100 at 12 GB/s: 0.453
  // s of snapshot, every 12.95 s; flushed to a local SSD at 1 GB/s in 5.4 s.
  Design design = saver("async");
  set(design.hosts[0], Role::host, "gpu.copy", "12 GB/s");
  set(design.storage[0], Role::storage, "ost.count", "1");
  set(design.storage[0], Role::storage, "ost.write", "1 GB/s");
  set(design.storage[0], Role::storage, "ost.read", "1 GB/s");
  Component& save = *design.jobs[0].checkpoint;
  save.values.erase("every_steps");
  set(design.jobs[0].job, Role::job, "accelerators", "1");
  set(save, Role::checkpoint, "size", "5.44 GB");
  set(save, Role::checkpoint, "every", "12.95 s");
  set(design.run, Role::run, "duration", "1 h");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.backpressure.max") == 0.0);
  CHECK(metric(result, "job.train.checkpoint.overhead") <= 0.035);
  CHECK(metric(result, "job.train.checkpoint.overhead") > 0.033);
}

TEST_CASE("over months work goes back to a save whose increments are there, too") {
  // Of saves that are whole every fourth time each second is drained: of these every second one is
  // an increment on what stayed behind. So work goes back as far as where each fourth is drained.
  const auto lost = [](const char* full, const char* drains) {
    Design design = failing({{"mtbf", "3200 h"}}, {}, "async");
    Component& save = *design.jobs[0].checkpoint;
    set(save, Role::checkpoint, "tiers", "host-memory,scratch");
    set(save, Role::checkpoint, "durable", "host-memory");
    set(save, Role::checkpoint, "incremental.fraction", "50 %");
    set(save, Role::checkpoint, "incremental.full_every", full);
    set(save, Role::checkpoint, "drain_every", drains);
    return metric(run(design), "job.train.failures.lost_work");
  };
  CHECK(lost("4", "2") == Approx(lost("4", "4")).epsilon(0.02));
  CHECK(lost("4", "4") > 1.5 * lost("2", "2"));
}

}  // namespace failing_job_test
