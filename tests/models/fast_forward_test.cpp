#include <catch2/catch.hpp>

#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/reading_job.hpp"

namespace fast_forward_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

/// Simulates `design` both ways, checks that every step ends at the same date, and yields the share
/// of the time that was skipped.
double skipped_exactly(const Design& design) {
  const Course all = course_of(design, false), some = course_of(design, true);
  CHECK(difference(some, all) <= 1e-9);
  return some.skipped / some.wall;
}

/// 32 ranks that read 32 times `sample` MB a step, and save every `every` steps.
Design reading(const char* sample, const char* steps = "20000") {
  return reading_job(sample, "4", steps);
}

}  // namespace

TEST_CASE("steps that repeat are counted and end when they would have ended") {
  SECTION("bound by compute") { CHECK(skipped_exactly(reading("1 MB")) > 0.99); }
  SECTION("bound by storage") {
    Design design = reading("200 MB");
    set(*design.jobs[0].loader, Role::loader, "workers", "1");
    CHECK(skipped_exactly(design) > 0.99);
  }
  SECTION("bound by storage, workers side by side: their reads drift apart for ever") {
    (void)skipped_exactly(reading("200 MB", "2000"));
  }
  SECTION("without data") {
    Design design = reading("1 MB");
    design.jobs[0].dataset.reset();
    design.jobs[0].loader.reset();
    CHECK(skipped_exactly(design) > 0.99);
  }
}

TEST_CASE("saves repeat with the steps between them") {
  Design design = reading("10 MB");
  SECTION("asynchronous, by steps") { save(design, "async", {{"every_steps", "100"}}); }
  SECTION("asynchronous, by time") { save(design, "async", {{"every", "30 s"}}); }
  SECTION("synchronous") { save(design, "sync", {{"every_steps", "100"}}); }
  SECTION("increments") {
    save(
        design, "async",
        {{"every_steps", "50"}, {"incremental.fraction", "25 %"}, {"incremental.full_every", "4"}});
  }
  SECTION("the oldest deleted") {
    save(design, "async", {{"every_steps", "50"}, {"keep.last", "3"}});
  }
  CHECK(skipped_exactly(design) > 0.8);
}

TEST_CASE("saves that drain longer than their interval repeat as a whole") {
  // 640 GB at 40 GB/s and less take 16 s and more; a save is due every 5 s.
  Design design = reading("10 MB");
  save(design, "async", {{"every_steps", "50"}, {"size", "640 GB"}});
  CHECK(skipped_exactly(design) > 0.8);
}

// 3 GB of weights and optimizer state in 16 B each, a half on each host, at 1 GB/s a host: 24 s,
// and a step ends as they do.
TEST_CASE("a flush that ends with a step repeats with it") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "2");
  set(design.hosts[0], Role::host, "gpus", "4");
  set(design.hosts[0], Role::host, "nvme.read", "6 GB/s");
  set(design.hosts[0], Role::host, "nvme.write", "3 GB/s");
  set(design.jobs[0].job, Role::job, "steps", "230");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  set(design.jobs[0].step, Role::step, "compute", "1 s");
  design.run.values.erase("duration");
  save(design, "async",
       {{"size", "48 GB"},
        {"every", "1 min"},
        {"serializer", "none"},
        {"tiers", "host-memory,local-nvme,scratch"},
        {"flush_rate", "1 GB/s"}});
  CHECK(skipped_exactly(design) > 0.2);
}

TEST_CASE("a queue that drains slowly is not taken for a steady state") {
  // 64 batches are ahead when the first step begins, and storage brings a little less than the
  // steps take: for hundreds of steps nobody waits, and their times are all alike.
  Design design = reading("51.5 MB", "3000");
  set(*design.jobs[0].loader, Role::loader, "prefetch", "16");
  const Course all = course_of(design, false), some = course_of(design, true);
  REQUIRE(all.ends.size() == some.ends.size());
  CHECK(some.ends.back() == Approx(all.ends.back()).epsilon(1e-9));
}

// Batches of a job that waits for files come one after the other, then none for most of a round:
// that the next is as far behind does not tell how much of it is read.
TEST_CASE("a batch that was begun is not one that is nearly read") {
  Design design = reading("100 kB", "100");
  set(design.hosts[0], Role::host, "count", "1");
  set(design.storage[0], Role::storage, "mdt.open", "4 kops/s");
  set(design.jobs[0].step, Role::step, "compute", "1 ms");
  design.jobs[0].loader =
      component(Role::loader, "ideal", "loader", {{"batch", "16"}, {"workers", "4"}});
  (void)skipped_exactly(design);
}

TEST_CASE("shards are opened when they would have been") {
  Design design = reading("1 MB");
  design.jobs[0].dataset =
      component(Role::dataset, "webdataset", "dataset",
                {{"on", "scratch"}, {"sample", "100 kB"}, {"shard", "100 MB"}, {"samples", "1e9"}});
  save(design, "async", {{"every_steps", "500"}});
  CHECK(skipped_exactly(design) > 0.5);
}

TEST_CASE("every epoch repeats by itself, and its end is simulated") {
  Design design = reading("10 MB", "2000");
  set(design.jobs[0].job, Role::job, "epochs", "3");
  save(design, "async", {{"every_steps", "150"}});
  CHECK(skipped_exactly(design) > 0.5);
}

TEST_CASE("no jump leaves its epoch, though more of the run is left") {
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "steps", "150");
  set(design.jobs[0].job, Role::job, "epochs", "20");
  set(design.run, Role::run, "duration", "1 h");
  CHECK(skipped_exactly(design) > 0.9);
}

TEST_CASE("a run that ends at a given time ends there") {
  Design design = reading("10 MB", "1000000");
  set(design.run, Role::run, "duration", "30 min");
  CHECK(skipped_exactly(design) > 0.9);
}

TEST_CASE("two jobs are skipped together, and only when both repeat") {
  Design design = reading("10 MB");
  JobDesign other = design.jobs[0];
  other.job.id = "other";
  SECTION("in step") {
    CHECK(skipped_exactly([&] {
            design.jobs.push_back(other);
            return design;
          }()) > 0.9);
  }
  SECTION("three steps to two") {
    set(other.step, Role::step, "compute", "150 ms");
    design.jobs.push_back(other);
    (void)skipped_exactly(design);
  }
}

// What the first job goes on for is not the time of those that have ended.
TEST_CASE("a job that ended before the first one has ended when it did") {
  Design design = reading("10 MB");
  SECTION("reads alone") {}
  SECTION("saves by steps") { save(design, "async", {{"every_steps", "100"}}); }
  SECTION("saves by time") { save(design, "async", {{"every", "30 s"}}); }
  JobDesign other = design.jobs[0];
  other.job.id = "other";
  set(other.job, Role::job, "steps", "2000");
  design.jobs.push_back(other);
  CHECK(skipped_exactly(design) > 0.6);
}

// Ten times 0.1 s adds up to a little less than 1 s, and from other dates to a little more.
TEST_CASE("steps that make up an interval do so at any date") {
  Design design = small_design();
  design.run.values.erase("duration");
  set(design.jobs[0].job, Role::job, "steps", "10");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  save(design, "async", {{"every", "1 s"}, {"size", "1 GB"}});
  CHECK(metric(run(design), "job.train.checkpoint.count") == 1.0);
  // A job that follows begins where the other was skipped, at another date of what is simulated.
  set(design.jobs[0].job, Role::job, "steps", "2000");
  JobDesign next = design.jobs[0];
  next.job.id = "next";
  set(next.job, Role::job, "after", "train");
  set(next.job, Role::job, "steps", "15");
  design.jobs.push_back(next);
  const double skipped = metric(run(design), "stage.next.time");
  set(design.run, Role::run, "fast_forward", "false");
  CHECK(skipped == Approx(metric(run(design), "stage.next.time")).epsilon(1e-9));
}

TEST_CASE("what is drawn is simulated") {
  Design design = reading("10 MB", "500");
  set(design.jobs[0].step, Role::step, "jitter", "1 %");
  CHECK(course_of(design, true).skipped == Seconds{});
}

}  // namespace fast_forward_test
