#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "models/failure/renewal.hpp"
#include "tests/support/designs.hpp"

namespace elastic_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::JobProcess;
using models::Role;
using models::Scope;

// GPUs lent by a schedule: shifts over months, and what a whole design makes of them.
namespace {

// Steps of 1 s, saves that take 60 s, a restore of 20 s; a quarter of the GPUs is away for the last
// 6 h of every day. The history ends when all GPUs are back for the tenth time, and 9 h later.
JobProcess lender() {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.stalls = {60_s};
  job.tiers = {{.lost_with = Scope::beyond, .restore = 20_s, .after = {60_s}}};
  job.recovery.start = 40_s;
  job.recovery.init = 10_s;
  job.recovery.horizon = 249_h;
  job.shifts = {.period = 24_h, .busy = 6_h, .stop = 30_s, .stays = 0.75, .tier = 0, .pace = job};
  return job;
}

constexpr std::int64_t kNever = 1'000'000'000;  // steps between saves

// 32 GPUs with 100 ms steps; 32 GB saved every 60 steps in 1.03 s and read in 1 s. 8 are lent for
// 20 min of every hour; over 30 h and 20 min, which are made 31 h.
Design elastic() {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  JobDesign& job = design.jobs[0];
  job.checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "60"}, {"size", "32 GB"}, {"serializer", "none"}});
  job.recovery =
      component(Role::recovery, "restart", "recovery",
                {{"start", "30 s"}, {"init", "10 s"}, {"runs", "20"}, {"horizon", "109200 s"}});
  job.elastic = component(Role::elastic, "schedule", "elastic",
                          {{"gpus", "8"}, {"period", "1 h"}, {"busy", "20 min"}, {"stop", "20 s"}});
  return design;
}

}  // namespace

TEST_CASE("elastic: ten days of shifts cost ten saves and restarts at either scale") {
  // A shift: 60 s of save, 30 + 40 + 10 + 20 s of restart. Going, all wait for the save and three
  // quarters for the restart; coming, three quarters and all: 1.75 x 160 s a day.
  const models::JobHistory one = models::history(lender(), kNever, 1, 0);
  CHECK(one.shifts == 20.0);
  CHECK(one.shifting.in(unit::s) == Approx(10.0 * 1.75 * 160.0).epsilon(1e-12));
  // From the end of one save to the end of the other: 6 h of a quarter of the GPUs.
  CHECK(one.lent.in(unit::h) == Approx(10.0 * 0.25 * 6.0).epsilon(1e-12));
  CHECK(one.horizon().in(unit::h) == Approx(249.0).epsilon(1e-12));
  CHECK(one.kept.in(unit::s) ==
        Approx((one.horizon() - one.lent - one.shifting).in(unit::s)).epsilon(1e-12));
  CHECK(one.lost == Seconds{});
}

TEST_CASE("elastic: saves in between take their share of the time that is the job's") {
  // cycles of 600 s of work and 60 s of save
  const models::JobHistory one = models::history(lender(), 600, 1, 0);
  CHECK(one.kept / (one.own() - one.shifting) == Approx(600.0 / 660.0).epsilon(2e-3));
}

TEST_CASE("elastic: saves of the fewer GPUs may take another time") {
  // 100 s where 45 GPUs of 60 write: going 60 s of all, coming 100 s of three quarters
  JobProcess job = lender();
  job.shifts->pace.stalls = {100_s};
  job.shifts->pace.tiers[0].after = {100_s};
  const models::JobHistory one = models::history(job, kNever, 1, 0);
  CHECK(one.shifting.in(unit::s) ==
        Approx(10.0 * (60.0 + 0.75 * 100.0 + 1.75 * 100.0)).epsilon(1e-12));
  // inference has the GPUs until the longer save has ended
  CHECK(one.lent.in(unit::s) == Approx(10.0 * 0.25 * (21600.0 + 40.0)).epsilon(1e-12));
}

TEST_CASE("elastic: GPUs that are lent fail for somebody else") {
  // MTBF 1 h of all: 249 failures, a quarter fewer in the 60 h in which a quarter is away
  JobProcess job = lender();
  job.failures = {{.id = "gpu", .mtbf = 1_h, .scope = Scope::process, .repair = 1_h, .away = 0.75}};
  CHECK(models::outlook(job, 600, 1, 400).mean.failures == Approx(249.0 - 15.0).epsilon(0.01));
  job.failures[0].away = 1.0;
  CHECK(models::outlook(job, 600, 1, 400).mean.failures == Approx(249.0).epsilon(0.01));
}

TEST_CASE("elastic: failures and shifts add up while both are rare") {
  // MTBF 50 h: each costs half of 660 s of work, and 70 s; times are of all GPUs
  JobProcess job = lender();
  job.failures = {{.id = "gpu", .mtbf = 50_h, .scope = Scope::process, .repair = 1_h}};
  const models::JobHistory mean = models::outlook(job, 600, 1, 2000).mean;
  CHECK(mean.horizon().in(unit::h) == Approx(249.0).epsilon(1e-9));
  // of 249 h, 10 x 6 h at three quarters
  CHECK(mean.restart.in(unit::s) / mean.failures ==
        Approx(70.0 * (1.0 - 0.25 * 60.0 / 249.0)).epsilon(0.02));
  // by the clock it is as long as its phases, and what is lost as much as without shifts
  CHECK(mean.restart_for.in(unit::s) / mean.failures == Approx(70.0).epsilon(0.005));
  JobProcess alone = job;
  alone.shifts.reset();
  const models::JobHistory all = models::outlook(alone, 600, 1, 2000).mean;
  CHECK(all.lost_for == all.lost);
  CHECK(all.restart_for == all.restart);
  CHECK(mean.lost_for.in(unit::s) / mean.failures ==
        Approx(all.lost.in(unit::s) / all.failures).epsilon(0.03));
  CHECK(mean.shifting.in(unit::s) == Approx(2800.0).epsilon(0.01));
  CHECK(mean.shifts == Approx(20.0).epsilon(0.01));
}

TEST_CASE("elastic: a shift that was due during a restart comes with it") {
  // Restarts of 30 h, always over a shift: GPUs come and go with them, and time still adds up.
  JobProcess job = lender();
  job.recovery.start = 30_h;
  job.failures = {{.id = "gpu", .mtbf = 20_h, .scope = Scope::process, .repair = 1_h}};
  const models::JobHistory mean = models::outlook(job, 600, 1, 200).mean;
  CHECK(mean.horizon().in(unit::h) == Approx(249.0).epsilon(1e-9));
  CHECK(mean.shifts == Approx(20.0).margin(1.5));
}

TEST_CASE("elastic: a design lends GPU hours and pays shifts with others") {
  const RunResult result = run(elastic());
  CHECK(metric(result, "job.train.elastic.time") == Approx(31.0 * 3600.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.elastic.shifts") == 62.0);
  // 31 h x 8 GPUs x 20 min: a quarter of the GPUs for a third of the time, whatever the horizon
  const double lent = 31.0 * 8.0 / 3.0;
  CHECK(metric(result, "job.train.elastic.lent.gpu_hours") == Approx(lent).epsilon(1e-6));
  CHECK(metric(result, "job.train.elastic.lent.share") == Approx(0.25 / 3.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.elastic.shift.save") == Approx(1.03).epsilon(0.01));
  CHECK(metric(result, "job.train.elastic.shift.restart") ==
        Approx(20.0 + 40.0 + 1.0).epsilon(1e-6));
  // 31 x (32 + 24) GPUs x 62.03 s
  const double lost = 31.0 * 56.0 * 62.03 / 3600.0;
  CHECK(metric(result, "job.train.elastic.lost.gpu_hours") == Approx(lost).epsilon(1e-3));
  // 6 s of work in 7.03 s of what is neither lent nor lost
  const double own = 32.0 * 31.0 - lent;
  CHECK(metric(result, "job.train.goodput") ==
        Approx(6.0 / 7.03 * (1.0 - lost / own)).epsilon(3e-3));
  CHECK(metric(result, "job.train.elastic.trained.share") ==
        Approx(6.0 / 7.03 * (own - lost) / (32.0 * 31.0)).epsilon(3e-3));
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("restart") == Approx(lost / own).epsilon(1e-3));
  CHECK_FALSE(result.metrics.contains("job.train.failures.count"));
}

TEST_CASE("elastic: the whole run is limited by what costs more, lending or failures") {
  // An hour between failures that cost three quarters of a minute; GPUs are lent for 8 % of their
  // time, in few shifts, or for a twentieth of that.
  Design design = elastic();
  set(*design.jobs[0].checkpoint, Role::checkpoint, "size", "1 GB");
  set(*design.jobs[0].elastic, Role::elastic, "period", "8 h");
  set(*design.jobs[0].elastic, Role::elastic, "busy", "160 min");
  design.failures.push_back(
      component(Role::failure, "process", "crash", {{"mtbf", "1 h"}, {"per", "job"}}));
  const auto limits = [&](const char* figure) {
    return run(design).limited_by.at(std::string("job.train.") + figure);
  };
  CHECK(limits("run.time") == "job.train.elastic");
  CHECK(limits("run.days") == "job.train.elastic");
  CHECK(limits("goodput") == "job.train.failures");
  set(*design.jobs[0].elastic, Role::elastic, "busy", "8 min");
  CHECK(limits("run.time") == "job.train.failures");
}

TEST_CASE("elastic: shifts as long as the time between them are warned of") {
  Design design = elastic();
  set(*design.jobs[0].elastic, Role::elastic, "busy", "1 min");
  CHECK(run(design).warnings.size() == run(elastic()).warnings.size() + 1);
}

TEST_CASE("elastic: without simulating, a shift costs at least its restart and the state's way") {
  const models::Bounds bounds = models::bounds(elastic());
  const auto value = [&](const std::string& name) {
    for (const models::Derivation& d : bounds.derivations)
      if (d.name == "job.train.elastic." + name) return d.value;
    return -1.0;
  };
  // 8 of 32 GPUs for a third of the time
  CHECK(value("lent.share") == Approx(8.0 / 32.0 / 3.0).epsilon(1e-12));
  const RunResult result = run(elastic());
  const double simulated = metric(result, "job.train.elastic.shift.save") +
                           metric(result, "job.train.elastic.shift.restart");
  CHECK(value("shift") <= simulated + 1e-9);
  CHECK(value("shift") == Approx(simulated).epsilon(0.01));
  // Of the 31 periods that are simulated, too; each hour 56 GPUs of 32 x 1 h.
  CHECK(value("lost.gpu_hours") == Approx(31.0 * 56.0 * value("shift") / 3600.0).epsilon(1e-9));
  CHECK(value("lost.gpu_hours") ==
        Approx(metric(result, "job.train.elastic.lost.gpu_hours")).epsilon(0.01));
  CHECK(value("lost.share") == Approx(56.0 / 32.0 * value("shift") / 3600.0).epsilon(1e-9));
  CHECK(value("lost.share") ==
        Approx(metric(result, "job.train.elastic.lost.share")).epsilon(0.01));
}

TEST_CASE("elastic: without simulating, shifts of a whole run are those of its periods") {
  // 1 h and 10 h of work in 11/12 of the time: 1.09 and 10.9 periods.
  Design design = elastic();
  set(design.jobs[0].step, Role::step, "compute", "1 s");
  for (const auto& [steps, periods] : {std::pair{"3600", 1.0}, std::pair{"36000", 10.0}}) {
    set(design.jobs[0].job, Role::job, "run.steps", steps);
    const models::Bounds bounds = models::bounds(design);
    const auto value = [&](const std::string& name) {
      for (const models::Derivation& d : bounds.derivations)
        if (d.name == "job.train.elastic." + name) return d.value;
      return -1.0;
    };
    CHECK(value("lost.gpu_hours") ==
          Approx(periods * 56.0 * value("shift") / 3600.0).epsilon(1e-9));
  }
}

}  // namespace elastic_test
