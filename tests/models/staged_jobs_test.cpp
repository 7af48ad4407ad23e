#include <catch2/catch.hpp>

#include "models/bounds/bounds.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

/// Jobs among stages. docs/models/stages.md.
namespace staged_jobs_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

TEST_CASE("a job that begins with a share never overtakes what it follows") {
  // 3.2 GB at 32 MB/s: 100 s. 100 steps take 10 s of compute: the job ends with the stage.
  Design design =
      with_job({copy("in", {{"size", "3.2 GB"}, {"rate", "32 MB/s"}, {"chunk", "1 MB"}})});
  set(design.jobs[0].job, Role::job, "after_share", "20 %");
  const RunResult result = run(design);
  CHECK(of_stage(result, "train.start") == Approx(20.0).margin(2.0));
  CHECK(result.limited_by.at("pipeline.first_batch") == "stage.in.rate");
  CHECK(result.limited_by.at("stage.train.waited") == "stage.in.rate");
  CHECK(of_stage(result, "train.end") > of_stage(result, "in.end"));
  CHECK(of_stage(result, "train.end") < of_stage(result, "in.end") + 5.0);
  CHECK(metric(result, "job.train.stall.data") > 0.5);
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-6));
}

TEST_CASE("a job that streams begins with the first bytes and has its first batch after them") {
  // The tape needs 600 s; then 3.2 GB come at 32 MB/s. The job asks for 1 + 4 of its 100 steps.
  Component fit = stage("train", "fit", {{"job", "train"}, {"after", "in"}});
  set(fit, Role::stage, "when", "streaming");
  const auto streaming = [&](const char* delay, const char* start) {
    return run(with_job({copy("in", {{"size", "3.2 GB"},
                                     {"rate", "32 MB/s"},
                                     {"chunk", "1 MB"},
                                     {"delay", delay},
                                     {"start", start}}),
                         fit}));
  };
  const RunResult delayed = streaming("600 s", "0 s");
  CHECK(of_stage(delayed, "fit.start") == Approx(600.0).margin(2.0));
  CHECK(metric(delayed, "pipeline.first_batch") == Approx(605.0).margin(2.0));
  CHECK(delayed.limited_by.at("pipeline.first_batch") == "stage.in.delay");
  CHECK(of_stage(delayed, "fit.waited") < 100.0);
  const RunResult late = streaming("0 s", "600 s");
  CHECK(of_stage(late, "fit.start") == Approx(600.0).margin(2.0));
  CHECK(metric(late, "pipeline.first_batch") == Approx(605.0).margin(2.0));
}

TEST_CASE("the first batch of a pipeline is that of the first epoch, however many follow") {
  // Cold: 32 MB at 5 GB/s; what later epochs find in memory is there sooner.
  const auto first = [](const char* epochs) {
    Design design = with_job({copy("in")});
    set(*design.jobs[0].dataset, Role::dataset, "cache.policy", "lru");
    set(*design.jobs[0].loader, Role::loader, "start", "1 s");
    set(design.jobs[0].job, Role::job, "epochs", epochs);
    return metric(run(design), "pipeline.first_batch");
  };
  CHECK(first("5") == first("1"));
}

TEST_CASE("a job that is a stage lasts for its whole run") {
  // 10,000 steps of 100 ms at the utilization that was simulated
  Design design = with_job({copy("in"), stage("train", "fit", {{"job", "train"}}),
                            copy("archive", {{"size", "5 TB"}, {"to", "far"}, {"after", "fit"}})});
  set(design.jobs[0].job, Role::job, "run.steps", "10000");
  const RunResult result = run(design);
  const double time = metric(result, "job.train.run.time");
  CHECK(time > 1000.0);
  CHECK(of_stage(result, "fit.time") == Approx(time).epsilon(1e-9));
  CHECK(result.limited_by.at("stage.fit") == "job.train.compute");
  // Its start is a difference of dates, which rounds the last digit.
  CHECK(of_stage(result, "archive.start") == Approx(of_stage(result, "fit.end")).epsilon(1e-14));
}

TEST_CASE("what is waited for at the start of a whole run is not waited for again") {
  // 3.2 GB at 32 MB/s: 100 s, in which the job makes 100 of its 10,000 steps of 100 ms. The first
  // takes 5 s more.
  Component fit = stage("train", "fit", {{"job", "train"}, {"after", "in"}});
  set(fit, Role::stage, "when", "streaming");
  Design design =
      with_job({copy("in", {{"size", "3.2 GB"}, {"rate", "32 MB/s"}, {"chunk", "1 MB"}}), fit});
  set(design.jobs[0].job, Role::job, "epochs", "2");
  set(design.jobs[0].job, Role::job, "run.steps", "10000");
  set(design.jobs[0].step, Role::step, "warm_up", "5 s");
  const RunResult result = run(design);
  const double waited = of_stage(result, "fit.waited");
  CHECK(waited > 70.0);
  // Beside that what queues lose that fill, twice.
  const double filled = metric(result, "job.train.start.once") - waited - 5.0;
  CHECK(filled >= metric(result, "job.train.epoch.begin"));
  CHECK(filled < 0.1);
  const double step = (metric(result, "job.train.time.wall") - waited - 5.0) / 200.0;
  CHECK(metric(result, "job.train.run.time") ==
        Approx(10000.0 * step + waited + 5.0).epsilon(1e-6));
  CHECK(of_stage(result, "fit.time") == Approx(metric(result, "job.train.run.time")).epsilon(1e-9));
  CHECK(step == Approx(0.1).epsilon(0.05));
}

TEST_CASE("a stage lasts for its whole run as run.time has it") {
  // Epochs that fill caches and a failure with a date come once in both.
  Design design = with_job({stage("train", "fit", {{"job", "train"}})});
  set(*design.jobs[0].dataset, Role::dataset, "cache.policy", "pinned");
  set(*design.jobs[0].dataset, Role::dataset, "cache.size", "100 GB");
  design.storage[1] = filer("near", {{"head.read", "0.2 GB/s"}});
  set(design.jobs[0].job, Role::job, "epochs", "2");
  set(design.jobs[0].job, Role::job, "run.epochs", "50");
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
  design.failures.push_back(component(Role::failure, "process", "crash", {{"at", "25 s"}}));
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.epoch.cold") > 1.0);
  CHECK(metric(result, "job.train.restart.count") == 1.0);
  CHECK(of_stage(result, "fit.time") == Approx(metric(result, "job.train.run.time")).epsilon(1e-9));
}

TEST_CASE("jobs follow each other on the same GPUs, without stages") {
  const auto alone = [] {
    Design design = with_job({});
    design.hosts.resize(1);
    return design;
  };
  Design both = alone();
  both.jobs.push_back(both.jobs[0]);
  both.jobs[1].job.id = "tune";
  set(both.jobs[1].job, Role::job, "after", "train");
  const RunResult result = run(both);
  const double time = 10.0 / metric(run(alone()), "job.train.gpu.utilization");
  CHECK(of_stage(result, "train.time") == Approx(time).epsilon(1e-3));
  CHECK(of_stage(result, "tune.start") == Approx(of_stage(result, "train.end")));
  CHECK(metric(result, "pipeline.time") == Approx(2.0 * time).epsilon(1e-3));
  // What they ask for is never asked for at one time.
  const models::Bounds bounds = models::bounds(both);
  CHECK(bounds.osts_required == Approx(models::bounds(alone()).osts_required));
  for (const models::Derivation& line : bounds.derivations)
    CHECK_FALSE(line.name.ends_with("utilization.estimate"));
}

TEST_CASE("jobs in a row restore one after the other, those beside each other together") {
  const auto restored = [](const char* after) {
    Design design = with_job({});
    design.hosts.resize(1);
    JobDesign& job = design.jobs[0];
    job.checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                               {{"to", "far"},
                                {"every", "4 s"},
                                {"size", "50 GB"},
                                {"restore.read", "own"},
                                {"restore.deserialize", "100 GB/s"}});
    if (after == nullptr) return metric(run(design), "job.train.restore.duration");
    design.jobs.push_back(job);
    design.jobs[1].job.id = "tune";
    if (*after != '\0') set(design.jobs[1].job, Role::job, "after", after);
    return metric(run(design), "job.tune.restore.duration");
  };
  const double alone = restored(nullptr);
  CHECK(alone >= 10.0);  // 50 GB from 5 GB/s
  CHECK(restored("train") == Approx(alone).epsilon(1e-6));
  CHECK(restored("") > 1.5 * alone);
}

TEST_CASE("a failure has a date of the run, not of the job") {
  // The job begins after 600 s and makes 20 epochs of 10 s.
  const auto crash = [](const char* at, bool skips = true) {
    Design design = with_job({copy("in", {{"size", "1 MB"}, {"start", "600 s"}})});
    set(design.jobs[0].job, Role::job, "epochs", "20");
    set(design.jobs[0].step, Role::step, "jitter", "0 %");
    set(design.run, Role::run, "fast_forward", skips ? "true" : "false");
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
    design.failures.push_back(component(Role::failure, "process", "crash", {{"at", at}}));
    return run(design);
  };
  const RunResult hit = crash("700 s"), all = crash("700 s", false);
  CHECK(metric(hit, "job.train.restart.count") == 1.0);
  CHECK(metric(hit, "job.train.restart.lost_work") ==
        Approx(700.0 - of_stage(hit, "train.start")).epsilon(1e-6));
  CHECK(hit.skipped_s > 50.0);
  CHECK(all.skipped_s == 0.0);
  CHECK(of_stage(hit, "train.end") == Approx(of_stage(all, "train.end")).epsilon(1e-6));
  CHECK(hit.warnings.empty());
  // Before it begins, and after it has ended, nothing happens to it, which is said.
  for (const char* at : {"500 s", "20 min"}) {
    const RunResult missed = crash(at);
    CHECK(metric(missed, "job.train.restart.count") == 0.0);
    CHECK(missed.skipped_s > 50.0);
    REQUIRE(missed.warnings.size() == 1);
    CHECK(missed.warnings[0].starts_with("failure.crash: job.train "));
  }
}

TEST_CASE("a failure that strikes one job of a row is not said to do nothing to the others") {
  const auto crash = [](const char* at) {
    Design design = with_job({});
    design.hosts.resize(1);
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
    design.jobs.push_back(design.jobs[0]);
    design.jobs[1].job.id = "tune";
    set(design.jobs[1].job, Role::job, "after", "train");
    design.failures.push_back(component(Role::failure, "process", "crash", {{"at", at}}));
    return run(design);
  };
  // Each takes 10 s.
  CHECK(metric(crash("5 s"), "job.train.restart.count") == 1.0);
  CHECK(crash("5 s").warnings.empty());
  CHECK(metric(crash("15 s"), "job.tune.restart.count") == 1.0);
  CHECK(crash("15 s").warnings.empty());
  CHECK(crash("10 min").warnings.size() == 2);
}

TEST_CASE("a failure ends the wait for a stage") {
  // Pieces of 400 MB, for 12 steps each, come every 12.5 s; the way back takes 1 + 3 + 4 s.
  Component fit = stage("train", "fit", {{"job", "train"}, {"after", "in"}});
  set(fit, Role::stage, "when", "streaming");
  Design design = with_job({copy("in", {{"size", "3.2 GB"},
                                        {"rate", "32 MB/s"},
                                        {"chunk", "400 MB"},
                                        {"file", "400 MB"},
                                        {"workers", "1"}}),
                            fit});
  design.hosts[1] = component(Role::host, "host", "mover", {{"count", "1"}, {"gpus", "0"}});
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery",
                                      {{"detect", "1 s"}, {"start", "3 s"}, {"init", "4 s"}});
  design.failures.push_back(component(Role::failure, "process", "crash", {{"at", "31 s"}}));
  const RunResult result = run(design);
  CHECK(of_stage(result, "fit.waited") > 20.0);
  CHECK(metric(result, "job.train.restart.duration") == Approx(8.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.restart.lost_work") ==
        Approx(31.0 - of_stage(result, "fit.start")).epsilon(1e-6));
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
}

// What the rest of a whole run reads is not simulated: rates are of what is.
TEST_CASE("a whole run that is waited for dilutes no rate") {
  Design design = with_job({});
  set(design.jobs[0].job, Role::job, "run.steps", "10000");
  const RunResult alone = run(design);
  design.stages = {stage("train", "fit", {{"job", "train"}})};
  const RunResult staged = run(design);
  const std::string head = "resource.storage.near.head.throughput";
  REQUIRE(metric(alone, head) > 0.0);
  CHECK(metric(staged, head) == Approx(metric(alone, head)).epsilon(1e-9));
  CHECK(metric(staged, "pipeline.time") > 10.0 * metric(staged, "job.train.time.wall"));
}

TEST_CASE(
    "a job that begins after a stage saves for the first time an interval after its beginning") {
  const auto saves = [](const char* size) {
    Design design = with_job({copy("in", {{"size", size}})});
    set(design.jobs[0].job, Role::job, "after", "in");
    design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "far"}, {"every", "4 s"}, {"size", "1 MB"}});
    return metric(run(design), "job.train.checkpoint.count");
  };
  CHECK(saves("1 MB") == 2.0);
  CHECK(saves("100 GB") == 2.0);
}

TEST_CASE("what repeats in a job is skipped, stages before and after it are not moved") {
  Design design = with_job({copy("in"), copy("archive", {{"size", "5 TB"}, {"after", "train"}})});
  set(design.jobs[0].job, Role::job, "epochs", "20");
  set(design.jobs[0].step, Role::step, "jitter", "0 %");
  const RunResult skipped = run(design);
  CHECK(skipped.skipped_s > 0.5 * metric(skipped, "stage.train.time"));
  set(design.run, Role::run, "fast_forward", "false");
  const RunResult all = run(design);
  CHECK(all.skipped_s == 0.0);
  for (const char* name : {"stage.train.start", "stage.archive.start", "pipeline.time"})
    CHECK(metric(skipped, name) == Approx(metric(all, name)).epsilon(1e-6));
}

}  // namespace staged_jobs_test
