#include <catch2/catch.hpp>
#include <string>

#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"

/// Which save a failure at a date goes back to, and where it is read. docs/models/failures.md,
/// equations 13 and 15; docs/models/checkpoint.md, equations 9 and 10.
namespace found_saves_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// 2 hosts of 4 GPUs, steps of 1 s, saves every 20 s to a filer of 1 GB/s: 40 GB, 20 of each host,
// are written at once and read in 40 s. 20 s from a lost host until its ranks can load.
Design saver(Settings more) {
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.hosts[0], Role::host, "count", "2");
  set(design.hosts[0], Role::host, "gpus", "4");
  set(design.hosts[0], Role::host, "memory.size", "2 TB");
  for (const char* rate : {"nvme.read", "nvme.write"})
    set(design.hosts[0], Role::host, rate, "100 GB/s");
  design.storage[0] =
      component(Role::storage, "nfs", "scratch", {{"head.count", "1"}, {"head.read", "1 GB/s"}});
  set(design.storage[0], Role::storage, "head.write", "10 GB/s");
  set(design.run, Role::run, "duration", "300 s");
  JobDesign& job = design.jobs[0];
  set(job.step, Role::step, "compute", "1 s");
  job.recovery =
      component(Role::recovery, "restart", "recovery",
                {{"detect", "10 s"}, {"replace", "0 s"}, {"start", "10 s"}, {"init", "0 s"}});
  job.checkpoint = component(Role::checkpoint, "async", "checkpoint",
                             {{"to", "scratch"},
                              {"every", "20 s"},
                              {"size", "40 GB"},
                              {"serializer", "none"},
                              {"restore.deserialize", "1000 TB/s"}});
  for (const auto& [key, text] : more) set(*job.checkpoint, Role::checkpoint, key, text);
  return design;
}

Design on_drives(Settings more) {
  Design design =
      saver({{"tiers", "local-nvme,scratch"}, {"durable", "local-nvme"}, {"drain_every", "3"}});
  for (const auto& [key, text] : more) set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
  return design;
}

double restart(Design design, const char* kind, const char* at, const char* what) {
  design.failures.push_back(component(Role::failure, kind, "loss", {{"at", at}}));
  return metric(run(design), std::string("job.train.restart.") + what);
}

}  // namespace

TEST_CASE("drives give a restart what retention left on them") {
  // A host dies at 195 s: the drives have had nine saves, the filer the first, fourth and seventh.
  const auto restored = [](const char* keep) {
    return restart(on_drives({{"keep.last", keep}}), "host", "195 s", "restore.duration");
  };
  // The seventh is gone from them where two are kept, so that both hosts read theirs from the
  // filer.
  CHECK(restored("2") == Approx(40.0).epsilon(0.01));
  CHECK(restored("3") == Approx(20.0).epsilon(0.01));
  CHECK(restart(on_drives({{"keep.last", "2"}}), "host", "195 s", "lost_steps") >= 50.0);
  // Processes that fail find the newest.
  CHECK(restart(on_drives({{"keep.last", "1"}}), "process", "195 s", "lost_steps") < 20.0);
}

TEST_CASE("the restore of a restart is the restore of a job that is asked for no other") {
  const std::string restores = "job.train.restore.", again = "job.train.restart.restore.";
  Design design = saver({});
  CHECK_FALSE(run(design).metrics.contains(restores + "duration"));
  // Before the first save there is nothing to read.
  Design early = design;
  early.failures.push_back(component(Role::failure, "process", "loss", {{"at", "10 s"}}));
  CHECK_FALSE(run(early).metrics.contains(restores + "duration"));
  design.failures.push_back(component(Role::failure, "process", "loss", {{"at", "195 s"}}));
  const RunResult result = run(design);
  CHECK(metric(result, restores + "duration") == Approx(40.0).epsilon(0.01));
  for (const char* figure : {"duration", "rank0", "read", "bandwidth"})
    CHECK(metric(result, restores + figure) == metric(result, again + figure));
  CHECK(result.limited_by.at(restores + "duration") == result.limited_by.at(again + "duration"));
  // A time that is given counts as it is.
  set(*design.jobs[0].recovery, Role::recovery, "restore", "7 s");
  for (const std::string& of : {restores, again})
    CHECK(metric(run(design), of + "duration") == 7.0);
  // That after the run was asked for by name.
  set(*design.jobs[0].checkpoint, Role::checkpoint, "restore.read", "all");
  CHECK(metric(run(design), restores + "duration") == Approx(40.0).epsilon(0.01));
  CHECK(metric(run(design), again + "duration") == 7.0);
}

TEST_CASE("what a lost host took along is in the drives of none") {
  // A host dies after the seventh save; nothing is saved before the next failure.
  Design design = on_drives({});
  design.failures.push_back(component(Role::failure, "host", "first", {{"at", "150 s"}}));
  CHECK(restart(design, "process", "195 s", "restore.duration") == Approx(40.0).epsilon(0.01));
}

TEST_CASE("a save that waits for its buffer has overwritten nothing yet") {
  // Saves of 60 GB every 30 s through one buffer to 1 GB/s: the first is flushed from 30 s to 90 s,
  // the second waits from 60 s on.
  const auto lost = [](const char* at, const char* first) {
    Design design = saver({{"tiers", "host-memory,scratch"},
                           {"every", "30 s"},
                           {"size", "60 GB"},
                           {"snapshot_first", first}});
    set(design.storage[0], Role::storage, "head.write", "1 GB/s");
    return restart(design, "process", at, "lost_steps");
  };
  CHECK(lost("55 s", "false") == Approx(25.0).margin(1.0));
  CHECK(lost("75 s", "false") == Approx(30.0).margin(1.0));
  CHECK(lost("85 s", "false") == Approx(30.0).margin(1.0));
  CHECK(lost("75 s", "true") == 0.0);  // it is there before it waits
}

TEST_CASE("saves in place of others on a store that not all of them come to replace none there") {
  // The fourth is written to the filer at 80 s, the fifth and sixth are not.
  CHECK(restart(on_drives({{"commit", "in-place"}}), "host", "135 s", "lost_steps") < 60.0);
}

TEST_CASE("increments are read from a place that has all that they build on") {
  // Every second save is an increment of a fifth; the first, fourth, seventh and tenth go on.
  const Settings increments = {{"incremental.fraction", "20 %"},
                               {"incremental.full_every", "2"},
                               {"restore.read", "own"},
                               {"restore.from", "scratch"}};
  Design design = on_drives(increments);
  SECTION("a lost host goes back to the seventh, as the tenth builds on one that is not there") {
    CHECK(restart(design, "host", "230 s", "lost_steps") == Approx(90.0).margin(4.0));
    CHECK(restart(design, "host", "230 s", "restore.read") == Approx(40e9));
  }
  SECTION("and so does a restore") {
    set(design.run, Role::run, "duration", "215 s");
    CHECK(metric(run(design), "job.train.restore.read") == Approx(40e9));
  }
  SECTION("drives have all of them") {
    CHECK(restart(design, "process", "255 s", "restore.read") == Approx(48e9));
  }
  SECTION("what lies in memory is whole") {
    set(*design.jobs[0].checkpoint, Role::checkpoint, "tiers", "host-memory,local-nvme,scratch");
    CHECK(restart(design, "process", "255 s", "restore.read") == Approx(40e9));
  }
}

TEST_CASE("the first save after a restart is whole") {
  // Whole at 20 s, then increments; work goes on at about 90 s, and the next ends after 110 s.
  const auto read = [](const char* at) {
    Design design =
        on_drives({{"incremental.fraction", "20 %"}, {"incremental.full_every", "100"}});
    design.failures.push_back(component(Role::failure, "process", "first", {{"at", "70 s"}}));
    design.failures.push_back(component(Role::failure, "process", "second", {{"at", at}}));
    return metric(run(design), "job.train.restart.restore.read");  // of the last
  };
  CHECK(read("85 s") == Approx(40e9 * 1.4));
  CHECK(read("125 s") == Approx(40e9));
  CHECK(read("145 s") == Approx(40e9 * 1.2));
}

TEST_CASE("retention knows its saves after a jump") {
  for (const bool deleted : {true, false}) {
    Design design = on_drives({});
    if (deleted) set(*design.jobs[0].checkpoint, Role::checkpoint, "keep.last", "3");
    set(design.run, Role::run, "duration", "2 h");
    set(design.storage[0], Role::storage, "head.read", "10 GB/s");
    design.failures.push_back(component(Role::failure, "host", "loss", {{"at", "100 min"}}));
    const Course all = course_of(design, false), some = course_of(design, true);
    INFO(deleted);
    CHECK(difference(some, all) <= 1e-9);
    CHECK(some.skipped / some.wall > 0.3);
  }
}

}  // namespace found_saves_test
