#include <catch2/catch.hpp>

#include "tests/support/designs.hpp"

/// What a start costs a whole run, once. docs/models/whole-run.md, equations 8 and 9.
namespace whole_run_starts_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double train(const Design& design, const std::string& name) {
  return metric(run(design), "job.train." + name);
}

// A batch is read in 0.2 s by each of 4 workers, a step computes for `compute`.
Design reading(const char* steps, const char* compute = "100 ms") {
  Design design = one_reader("raw", {{"sample", "100 MB"}}, compute);
  JobDesign& job = design.jobs[0];
  for (const char* part : {"barrier.base", "barrier.per_doubling", "barrier.per_sqrt"})
    set(job.job, Role::job, part, "0 s");
  set(*job.loader, Role::loader, "workers", "4");
  set(*job.loader, Role::loader, "prefetch", "2");
  set(job.job, Role::job, "steps", steps);
  set(job.job, Role::job, "run.steps", "100000");
  design.run.values.erase("duration");
  return design;
}

}  // namespace

TEST_CASE("the wait for the first batch comes once, however short the window is") {
  // 100,000 steps of 100 ms, and 0.2 s.
  for (const char* steps : {"16", "20", "400"})
    CHECK(train(reading(steps), "run.time") == Approx(10000.2).epsilon(1e-7));
  CHECK(train(reading("16"), "start.once") == Approx(0.2).epsilon(1e-6));
  CHECK(train(reading("16"), "lasting.utilization") == Approx(1e4 / 10000.2).epsilon(1e-7));
}

TEST_CASE("reads that are too slow are no start") {
  // Four workers bring four batches each 0.2 s, to steps of 10 ms: 100,000 take 5,000 s. They wait
  // for 0.2 s first, and then not for the three that are there: 40 ms are lost.
  for (const char* steps : {"16", "40", "400"})
    CHECK(train(reading(steps, "10 ms"), "run.time") == Approx(5000.04).epsilon(1e-7));
  CHECK(train(reading("40", "10 ms"), "start.once") == Approx(0.04).epsilon(1e-6));
}

TEST_CASE("each epoch fills queues, in the window and beyond") {
  // 50 epochs of 20 steps of 100 ms, each after 0.2 s.
  Design design = reading("20");
  design.jobs[0].job.values.erase("run.steps");
  set(design.jobs[0].job, Role::job, "run.epochs", "50");
  const double time = 50.0 * (20 * 0.1 + 0.2);
  CHECK(train(design, "run.time") == Approx(time).epsilon(1e-7));
  set(design.jobs[0].job, Role::job, "epochs", "3");
  CHECK(train(design, "run.time") == Approx(time).epsilon(1e-7));
  // Part of one, and one and a half.
  design.jobs[0].job.values.erase("epochs");
  for (const char* duration : {"1.85 s", "3.25 s"}) {
    set(design.run, Role::run, "duration", duration);
    CHECK(train(design, "run.time") == Approx(time).epsilon(1e-7));
  }
}

TEST_CASE("workers that persist start once") {
  Design design = reading("20");
  design.jobs[0].job.values.erase("run.steps");
  set(design.jobs[0].job, Role::job, "run.epochs", "50");
  set(*design.jobs[0].loader, Role::loader, "start", "50 ms");
  const double each = 20 * 0.1 + 0.2, starting = 4 * 0.05;
  CHECK(train(design, "run.time") == Approx(50.0 * (each + starting)).epsilon(1e-6));
  set(*design.jobs[0].loader, Role::loader, "persistent", "true");
  CHECK(train(design, "run.time") == Approx(50.0 * each + starting).epsilon(1e-6));
}

TEST_CASE("what is read ahead at the end of the window is paid for once") {
  // One GET a step: 100,000, and the eight that were asked for ahead when the window ended.
  const auto gets = [](const char* duration) {
    Design design = reading("16");
    design.storage[0] = component(Role::storage, "s3", "scratch",
                                  {{"first_byte", "1 ms"},
                                   {"first_byte_spread", "1"},
                                   {"prefixes", "100"},
                                   {"request.get.price", "0.4 USD"}});
    set(*design.jobs[0].dataset, Role::dataset, "sample", "1 MB");
    design.jobs[0].job.values.erase("steps");
    set(design.run, Role::run, "duration", duration);
    const RunResult result = run(design);
    return metric(result, "cost.requests") * metric(result, "job.train.run.time") / 3600.0 /
           (0.4 / 1000.0);
  };
  CHECK(gets("3 s") == Approx(100008.0).epsilon(1e-7));
  CHECK(gets("40 s") == Approx(100008.0).epsilon(1e-7));
}

TEST_CASE("a window without a run lasts as its epochs say, or without an end") {
  // 16 steps of a million, after 0.2 s.
  Design design = reading("16");
  design.jobs[0].job.values.erase("run.steps");
  const double all = 16 * 0.1;
  const RunResult ends = run(design);
  CHECK_FALSE(ends.metrics.contains("job.train.lasting.utilization"));
  CHECK(metric(ends, "job.train.gpu.utilization") == Approx(all / (all + 0.2)).epsilon(1e-6));
  design.jobs[0].job.values.erase("steps");
  set(design.run, Role::run, "duration", "1.75 s");
  CHECK(train(design, "lasting.utilization") == Approx(1e5 / (1e5 + 0.2)).epsilon(1e-7));
  // An epoch of 40 steps, again and again; then two of them.
  set(*design.jobs[0].dataset, Role::dataset, "samples", "40");
  CHECK(train(design, "lasting.utilization") == Approx(4.0 / 4.2).epsilon(1e-7));
  set(design.jobs[0].job, Role::job, "epochs", "2");
  CHECK(train(design, "lasting.useful") == Approx(4.0 / 4.2).epsilon(1e-7));
}

TEST_CASE("a window that ends before a save lasts as whole intervals do") {
  // 60 steps of 100 ms and a save, again and again, wherever the window ends.
  Design design = small_design();
  save_by_steps(design, "sync");
  for (const char* duration : {"13 s", "17 s", "31 s"}) {
    INFO(duration);
    set(design.run, Role::run, "duration", duration);
    const RunResult ends = run(design);
    const double saved = metric(ends, "job.train.checkpoint.stall");
    CHECK(metric(ends, "job.train.lasting.utilization") ==
          Approx(6.0 / (6.0 + saved)).epsilon(1e-6));
    CHECK(metric(ends, "job.train.gpu.utilization") > 6.05 / (6.0 + saved));
  }
}

}  // namespace whole_run_starts_test
