#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/plant/plant.hpp"
#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"

namespace host_failure_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

/// Failures of hosts, processes and racks at a date of the detailed run. Equations:
/// docs/models/failures.md, "At a date".
namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

// 4 hosts of 8 GPUs, steps of 100 ms, 60 s, 10 s from a lost host until its ranks could load:
// 1 (detect) + 2 (replace) + 3 (start) + 4 (init).
Design steps_only() {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  design.jobs[0].recovery =
      component(Role::recovery, "restart", "recovery",
                {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}});
  return design;
}

void fail(Design& design, const char* at, const char* kind = "host", const Fields& more = {}) {
  Component failure = component(Role::failure, kind, std::string("loss-at-") + at, {{"at", at}});
  for (const auto& [key, text] : more) set(failure, Role::failure, key, text);
  design.failures.push_back(failure);
}

// The same with 32 GB saved every 60 steps: 1 s into 8 OSTs of 4 GB/s, after a snapshot of 1 GB a
// rank; each rank reads its own again.
Design saver(const char* mode = "sync", const Fields& more = {}) {
  Design design = steps_only();
  save_by_steps(design, mode);
  for (const auto& [key, text] : more) set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
  return design;
}

double restart(const RunResult& result, const std::string& what) {
  return metric(result, "job.train.restart." + what);
}

double sum_of_shares(const RunResult& result) {
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  return sum;
}

/// A loader of 2 workers that reads one `sample` per rank and step; `hosts` hosts of 2 GPUs.
void read(Design& design, const char* hosts, const char* sample) {
  set(design.hosts[0], Role::host, "count", hosts);
  set(design.hosts[0], Role::host, "gpus", "2");
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", sample}, {"samples", "1e9"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "2"}});
}

}  // namespace

TEST_CASE("host failure: without a save all work is lost") {
  Design design = steps_only();
  fail(design, "20.05 s");
  const RunResult result = run(design);
  // 200 steps and half of the one under way; 10 s; then 300 steps in the 29.95 s that are left, the
  // last ends at 60.05 s. After 10 s and 200 steps the job is where it was.
  CHECK(restart(result, "count") == 1.0);
  CHECK(restart(result, "duration") == Approx(10.0).epsilon(1e-9));
  CHECK(restart(result, "lost_work") == Approx(20.05).epsilon(1e-9));
  CHECK(restart(result, "lost_steps") == 200.0);
  CHECK(restart(result, "caught_up") == Approx(30.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.steps") == 300.0);
  CHECK(metric(result, "job.train.goodput") == Approx(30.0 / 60.05).epsilon(1e-9));
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(50.0 / 60.05).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("restart") == Approx(30.05 / 60.05).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("compute") == Approx(30.0 / 60.05).epsilon(1e-9));
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
  CHECK(result.limited_by.at("job.train.restart.duration") == "job.train.failures");
  CHECK(result.limited_by.at("job.train.restart") == "job.train.failures");
}

TEST_CASE("host failure: each start warms up") {
  Design design = steps_only();
  set(design.jobs[0].step, Role::step, "warm_up", "2 s");
  fail(design, "20.05 s");
  const RunResult result = run(design);
  // 180 steps until then, and, after 10 s, 280 in the 29.95 s that are left; both starts take 2 s
  // more.
  CHECK(restart(result, "duration") == Approx(10.0).epsilon(1e-9));
  CHECK(restart(result, "lost_steps") == 180.0);
  CHECK(metric(result, "job.train.steps") == 280.0);
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("host failure: a step that ends at the date has ended") {
  Design design = steps_only();
  fail(design, "20 s");
  const RunResult result = run(design);
  CHECK(restart(result, "lost_steps") == 200.0);
  CHECK(restart(result, "lost_work") == Approx(20.0).epsilon(1e-9));
  CHECK(restart(result, "duration") == Approx(10.0).epsilon(1e-9));
}

TEST_CASE("host failure: processes that fail need no other host") {
  Design design = steps_only();
  fail(design, "20.05 s", "process");
  // detect + start + init
  CHECK(restart(run(design), "duration") == Approx(8.0).epsilon(1e-9));
}

TEST_CASE("host failure: volumes are mounted again") {
  Design design = steps_only();
  fail(design, "20.05 s");
  set(*design.jobs[0].recovery, Role::recovery, "mount.delay", "5 s");
  set(*design.jobs[0].recovery, Role::recovery, "mount.parallel", "2");
  // 10 s + ceil(4 hosts / 2) x 5 s
  CHECK(restart(run(design), "duration") == Approx(20.0).epsilon(1e-9));
}

TEST_CASE("host failure: the first start mounts all volumes, too") {
  // one pod: 5 s + start + init of 3 and 4 s; data come after 1 s of the first sample
  Design design = one_reader("raw", {{"sample", "0.5 GB"}});
  CHECK_FALSE(run(design).metrics.contains("job.train.startup"));
  design.jobs[0].recovery = component(
      Role::recovery, "restart", "recovery",
      {{"start", "3 s"}, {"init", "4 s"}, {"mount.delay", "5 s"}, {"mount.parallel", "2"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.startup") ==
        Approx(5.0 + 7.0 + metric(result, "job.train.first_batch")).epsilon(1e-9));
  CHECK(metric(result, "job.train.first_batch") == Approx(1.0).epsilon(0.05));
  set(*design.jobs[0].recovery, Role::recovery, "mount.pods", "5");
  CHECK(metric(run(design), "job.train.startup") == Approx(15.0 + 7.0 + 1.0).epsilon(0.01));
  // Workers start before the first batch, one after the other, and each time that the job does.
  set(*design.jobs[0].loader, Role::loader, "start", "20 s");
  const RunResult slow = run(design);
  REQUIRE(metric(slow, "job.train.first_batch") > 20.0);
  CHECK(metric(slow, "job.train.startup") ==
        Approx(15.0 + 7.0 + metric(slow, "job.train.first_batch")).epsilon(1e-9));
}

TEST_CASE("host failure: without a spare the job waits for the repair") {
  Design design = steps_only();
  fail(design, "20.05 s", "host", {{"repair", "30 s"}});
  set(*design.jobs[0].recovery, Role::recovery, "spares", "0");
  const RunResult result = run(design);
  // max(detect, repair) + replace + start + init = 30 + 9 s, of which 29 s after it was noticed
  CHECK(restart(result, "duration") == Approx(39.0).epsilon(1e-9));
  CHECK(restart(result, "waiting") == Approx(29.0).epsilon(1e-9));
  CHECK(result.limited_by.at("job.train.restart.duration") == "job.train.spares");
}

TEST_CASE("host failure: a failure on the way back starts it again") {
  Design design = steps_only();
  fail(design, "20.05 s");
  fail(design, "25.05 s", "process");
  const RunResult result = run(design);
  // 5 s in vain, then detect + start + init
  CHECK(restart(result, "count") == 1.0);
  CHECK(restart(result, "duration") == Approx(5.0 + 8.0).epsilon(1e-9));
  CHECK(restart(result, "lost_steps") == 200.0);
}

TEST_CASE("host failure: what one failure lost is not lost to the next again") {
  Design design = steps_only();
  fail(design, "10.05 s");
  fail(design, "30.05 s");
  const RunResult result = run(design);
  // 100 steps until 10 s, on at 20.05 s, 100 more until 30.05 s, on at 40.05 s, 200 until 60.05 s
  CHECK(restart(result, "count") == 2.0);
  CHECK(restart(result, "lost_steps") == Approx(100.0));
  CHECK(metric(result, "job.train.steps") == 200.0);
  CHECK(result.breakdown.at("train").at("restart") == Approx(40.05 / 60.05).epsilon(1e-9));
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("host failure: work goes on from the last save") {
  Design design = saver();
  const double save = metric(run(design), "job.train.checkpoint.stall");
  const double load = metric(run(design), "job.train.restore.duration");
  // The second save ends after 12 s of steps and two saves; 41 steps later comes the failure.
  const double at = 12.0 + 2.0 * save + 4.15;
  fail(design, (std::to_string(at) + " s").c_str());
  const RunResult result = run(design);
  CHECK(restart(result, "lost_steps") == 41.0);
  CHECK(restart(result, "lost_work") == Approx(4.15).epsilon(1e-6));
  CHECK(restart(result, "restore.duration") == Approx(load).epsilon(1e-9));
  CHECK(restart(result, "restore.read") == Approx(32e9).epsilon(1e-9));
  CHECK(restart(result, "duration") == Approx(10.0 + load).epsilon(1e-9));
  CHECK(restart(result, "caught_up") == Approx(10.0 + load + 4.1).epsilon(1e-6));
  CHECK(result.breakdown.at("train").at("restart") * 60.0 ==
        Approx(4.15 + 10.0 + load).epsilon(0.02));
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("host failure: the next save is as many steps after the restart as after a save") {
  Design design = saver();
  const double save = metric(run(design), "job.train.checkpoint.stall");
  const double load = metric(run(design), "job.train.restore.duration");
  fail(design, "11 s");  // in the second interval
  // One save before; on from step 60 at 21 s + load: saves of step 120, 180, ... every 6 s + save.
  const double left = 60.0 - 21.0 - load;
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.checkpoint.count") == 1.0 + std::floor(left / (6.0 + save)));
}

TEST_CASE("host failure: a save under way does not count") {
  Design design = saver();
  fail(design, "6.5 s");  // the first save lasts from 6 s to 7.03 s
  const RunResult result = run(design);
  CHECK(restart(result, "lost_steps") == 60.0);
  CHECK(restart(result, "lost_work") == Approx(6.0).epsilon(1e-9));
  CHECK(restart(result, "duration") == Approx(10.0).epsilon(1e-9));  // nothing to read
  CHECK(result.breakdown.at("train").at("checkpoint") > 0.5 / 61.0);
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("host failure: a flush alongside training does not count before it ends") {
  // A flush at 0.4 GB/s takes 80 s: the save of step 60 never ends in time, and that of step 120
  // waits for its buffer. At 16 GB/s it takes 2 s.
  Design slow = saver("async", {{"flush_rate", "400 MB/s"}});
  fail(slow, "15.05 s");
  CHECK(restart(run(slow), "lost_steps") == 120.0);
  Design quick = saver("async", {{"flush_rate", "16 GB/s"}});
  fail(quick, "15.15 s");
  // Two saves of 0.03 s: training goes on from step 120 at 12.05 s, and is flushed at 14.05 s.
  CHECK(restart(run(quick), "lost_steps") == 30.0);
  quick.failures.clear();
  fail(quick, "13.15 s");  // the flush of step 120 is under way: that of step 60 counts
  CHECK(restart(run(quick), "lost_steps") == 70.0);
}

TEST_CASE("host failure: hosts that are left load what lies in their memory") {
  Design design = saver("async", {{"tiers", "host-memory,peer-memory,scratch"}});
  set(design.hosts[0], Role::host, "gpu.copy", "50 GB/s");
  set(design.hosts[0], Role::host, "nic.rate", "4 GB/s");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  set(design.hosts[0], Role::host, "memory.bandwidth", "1000 GB/s");
  SECTION("and another host reads from peers") {
    fail(design, "15.05 s");
    // 8 GB over one port of 4 GB/s, then 1 GB a rank at 50 GB/s; the others need the copy only
    CHECK(restart(run(design), "restore.duration") == Approx(2.0 + 0.02).epsilon(1e-6));
  }
  SECTION("all of them when only processes failed") {
    fail(design, "15.05 s", "process");
    CHECK(restart(run(design), "restore.duration") == Approx(0.02).epsilon(1e-6));
  }
  SECTION("and hand out what one rank saved for all") {
    set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "rank0");
    set(*design.jobs[0].checkpoint, Role::checkpoint, "tiers", "host-memory,scratch");
    fail(design, "15.05 s", "process");
    // 32 GB at 50 GB/s; the 24 GB of other hosts over one port of 4 GB/s
    CHECK(restart(run(design), "restore.duration") == Approx(0.64 + 6.0).epsilon(1e-6));
  }
  SECTION("but a rack takes the copies of its peers along") {
    fail(design, "15.05 s", "rack", {{"group", "2"}});
    // Of 32 GB the storage gives each of the two hosts 8 GB, over one port: 2 s again, and the
    // copy. The others have the save of step 60 no longer: theirs is that of step 120.
    const RunResult result = run(design);
    CHECK(restart(result, "restore.duration") >= 2.02 * (1.0 - 1e-9));
    CHECK(result.limited_by.at("job.train.restart.restore.duration") == "host.gpu.nic.read");
  }
}

TEST_CASE("host failure: what the scenario says of the restore is taken from storage only") {
  Design design = saver();
  set(*design.jobs[0].recovery, Role::recovery, "restore", "7 s");
  fail(design, "11 s");
  CHECK(restart(run(design), "duration") == Approx(17.0).epsilon(1e-9));
  set(*design.jobs[0].checkpoint = as_kind(*design.jobs[0].checkpoint, Role::checkpoint, "async"),
      Role::checkpoint, "tiers", "host-memory,scratch");
  design.failures.clear();
  fail(design, "11 s", "process");
  CHECK(restart(run(design), "duration") < 8.1);
}

TEST_CASE("host failure: the page cache of another host is cold") {
  // One sample of 1 MB a rank and step, an epoch of 200 steps that fits in the cache of each host.
  // In the second epoch everything is found; after a failure in it, which goes back to the save of
  // step 240, one of 4 hosts finds nothing.
  Design design = saver("sync", {{"direct", "true"}});
  read(design, "4", "1 MB");
  set(*design.jobs[0].dataset, Role::dataset, "samples", "1600");
  set(*design.jobs[0].dataset, Role::dataset, "shuffle", "none");
  set(*design.jobs[0].dataset, Role::dataset, "cache.policy", "lru");
  set(*design.jobs[0].dataset, Role::dataset, "cache.size", "2 GB");
  set(design.jobs[0].job, Role::job, "epochs", "2");
  design.run.values.erase("duration");
  CHECK(metric(run(design), "job.train.cache.hit") == Approx(1.0).epsilon(1e-9));
  fail(design, "30 s");
  const RunResult lost = run(design);
  CHECK(metric(lost, "job.train.cache.miss") == Approx(0.25).epsilon(1e-9));
  CHECK(metric(lost, "job.train.throughput.bytes") ==  // of samples of 1 MB that are kept
        Approx(1e6 * metric(lost, "job.train.throughput.samples")).epsilon(1e-9));
  design.failures.clear();
  fail(design, "30 s", "process");
  CHECK(metric(run(design), "job.train.cache.hit") == Approx(1.0).epsilon(1e-9));
  set(design.jobs[0].job, Role::job, "epochs", "3");  // by then it has seen all
  design.failures.clear();
  fail(design, "30 s");
  CHECK(metric(run(design), "job.train.cache.hit") == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("host failure: an epoch that a failure broke goes on where it was") {
  Design design = steps_only();
  set(design.jobs[0].job, Role::job, "steps", "150");
  set(design.jobs[0].job, Role::job, "epochs", "2");
  design.run.values.erase("duration");
  fail(design, "20.05 s");
  const RunResult result = run(design);
  // 200 steps are lost, the first epoch with them; then 300 follow: 20.05 + 10 + 30 s.
  CHECK(metric(result, "job.train.steps") == 300.0);
  CHECK(metric(result, "job.train.goodput") == Approx(30.0 / 60.05).epsilon(1e-9));
}

TEST_CASE("host failure: the lost host is a class of its own") {
  Design design = steps_only();
  CHECK(models::Plant(design).groups("gpu").size() == 1);
  fail(design, "20 s");
  CHECK(models::Plant(design).groups("gpu").size() == 2);
  fail(design, "40 s", "process");
  CHECK(models::Plant(design).groups("gpu").size() == 2);
  fail(design, "50 s", "rack", {{"group", "3"}});
  CHECK(models::Plant(design).groups("gpu").size() == 3);
}

TEST_CASE("host failure: folded hosts are those of every rank by itself") {
  const char* const hosts = GENERATE("4", "8", "32");
  const char* const kind = GENERATE("host", "process");
  const char* const mode = GENERATE("sync", "async");
  INFO(hosts << " hosts, " << kind << ", " << mode);
  Design design = saver(mode);
  read(design, hosts, "20 MB");
  SECTION("in steps") { fail(design, "9.03 s", kind); }
  SECTION("in a save") { fail(design, "7.9 s", kind); }
  SECTION("alongside stragglers") {
    set(design.hosts[0], Role::host, "slow.count", "2");
    set(design.hosts[0], Role::host, "slow.compute", "80 %");
    fail(design, "20.03 s", kind);
  }
  const Course folded = course_of(design, false);
  set(design.run, Role::run, "fold", "false");
  CHECK(difference(folded, course_of(design, false)) <= 1e-9);
}

TEST_CASE("host failure: no jump crosses its date, nor that at which all is done again") {
  Design design = saver("async", {{"every_steps", "300"}});
  read(design, "32", "20 MB");
  set(design.run, Role::run, "duration", "2 h");
  fail(design, "40 min", "host");
  fail(design, "80 min", "process");
  const Course all = course_of(design, false), some = course_of(design, true);
  CHECK(difference(some, all) <= 1e-9);
  CHECK(some.skipped / some.wall > 0.7);
}

TEST_CASE("host failure: a training of hours takes longer by what one costs") {
  // 100,000 steps of 100 ms, and a save after each 60. A minute holds one save less than intervals.
  Design design = saver();
  set(design.jobs[0].job, Role::job, "run.steps", "100000");
  const RunResult without = run(design);
  const double save = metric(without, "job.train.checkpoint.stall");
  const double time = metric(without, "job.train.run.time");
  CHECK(time == Approx(10000.0 + 100000.0 / 60.0 * save).margin(save));
  fail(design, "20.05 s");
  const RunResult with = run(design);
  CHECK(metric(with, "job.train.run.time") ==
        Approx(time + metric(with, "job.train.time.restart")).margin(2.0 * save));
}

TEST_CASE("host failure: months are not predicted from a run that holds one") {
  Design design = saver();
  fail(design, "20.05 s");
  const RunResult result = run(design);
  CHECK_FALSE(result.metrics.contains("job.train.failures.count"));
  CHECK_FALSE(result.metrics.contains("job.train.checkpoint.best_interval"));
}

}  // namespace host_failure_test
