#include <catch2/catch.hpp>
#include <cmath>

#include "models/failure/interval.hpp"
#include "models/failure/kinds.hpp"
#include "models/failure/renewal.hpp"
#include "tests/support/designs.hpp"

namespace bad_saves_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::JobProcess;
using models::Role;
using models::Scope;

// Saves that cannot be loaded, and volumes that have to be mounted: docs/models/failures.md,
// equations 9 to 11.
namespace {

// Steps of 1 s, saves that stall 1 s and take 1 min to read, restarts of 1 min, 100 days.
JobProcess saver(double corrupt, Seconds mtbf = 50_h) {
  JobProcess job;
  job.id = "train";
  job.step = 1_s;
  job.stalls = {1_s};
  job.tiers = {{.lost_with = Scope::beyond, .restore = 1_min, .after = {1_s}}};
  job.tiers[0].life.corrupt = corrupt;
  job.failures = {{.id = "host", .mtbf = mtbf, .scope = Scope::host, .repair = 1_h}};
  job.recovery.start = 1_min;
  job.recovery.horizon = 2400_h;
  job.recovery.runs = 200;
  return job;
}

struct Each {
  double lost, restart, bad, lost_all;
};
// Minutes and saves of each failure, with a save every `minutes` of work.
Each each(const JobProcess& job, double minutes = 10.0, std::int64_t runs = 500) {
  const models::JobHistory mean =
      models::outlook(job, static_cast<std::int64_t>(minutes * 60.0), 1, runs).mean;
  return {mean.lost.in(unit::min) / mean.failures, mean.restart.in(unit::min) / mean.failures,
          mean.bad_saves / mean.failures, mean.lost_all / mean.failures};
}

}  // namespace

TEST_CASE("bad saves: a restart goes back p / (1 - p) intervals further") {
  // p = 20 %: 1/4 of 10 min besides the half interval, and 1/4 of a restore that was in vain
  const Each got = each(saver(0.2), 10.0, 2000);
  CHECK(got.bad == Approx(0.25).epsilon(0.03));
  CHECK(got.lost == Approx(5.0 + 2.5).epsilon(0.02));
  CHECK(got.restart == Approx(1.0 + 1.25).epsilon(0.01));
  CHECK(got.lost_all < 1e-3);  // only failures between the first save and the second
}

TEST_CASE("bad saves: what is skipped in one go counts as what is walked") {
  // p = 60 %, 300 cycles of 10 min between failures, of which the last 8 or so are walked:
  // runs of bad saves that are longer are drawn. 5 + 1.5 x 10 min.
  const Each got = each(saver(0.6, 500_h), 10.0, 2000);
  CHECK(got.bad == Approx(1.5).epsilon(0.04));
  CHECK(got.lost == Approx(20.0).epsilon(0.04));
}

TEST_CASE("bad saves: when all that are kept are bad everything is lost") {
  // two kept, p = 30 %: 9 % of the restarts; they try two, 0.7 x 0.3 of them one
  JobProcess job = saver(0.3);
  job.tiers[0].life.keep = 2;
  const Each got = each(job);
  CHECK(got.lost_all == Approx(0.09).epsilon(0.06));
  CHECK(got.bad == Approx(0.21 + 0.18).epsilon(0.03));
}

TEST_CASE("bad saves: of those kept permanently the newest that can be loaded is left") {
  // Two and every tenth, p = 1/2. The newest tenth is d = 0 .. 9 saves old. Where the newest two
  // are bad (1/4), so are d = 0 and 1, and each further tenth is bad with 1/2: back go
  // E[d] + 0.2 x 20 + 0.8 x 10 = 16.5 intervals; where only the newest is (1/4), one.
  JobProcess job = saver(0.5, 200_h);
  job.tiers[0].life.keep = 2;
  job.tiers[0].life.spare = 10;
  const Each got = each(job, 10.0, 2000);
  CHECK(got.lost_all == Approx(0.0).margin(0.005));
  CHECK(got.lost == Approx(5.0 + 10.0 * (1.0 + 16.5) / 4.0).epsilon(0.04));
}

TEST_CASE("bad saves: what is read back at once is not tried again and pushes nothing out") {
  // p = 1/2, one kept: still one interval more each time, but no restore in vain
  JobProcess job = saver(0.5);
  job.tiers[0].life.keep = 1;
  job.tiers[0].life.verified = true;
  const Each got = each(job);
  CHECK(got.lost == Approx(15.0).epsilon(0.03));
  CHECK(got.restart == Approx(2.0).epsilon(0.01));
  CHECK(got.bad == 0.0);
  CHECK(got.lost_all == 0.0);
}

TEST_CASE("bad saves: a copy that is good and as new is taken first") {
  // process failures find the snapshot in host memory
  JobProcess job = saver(0.5);
  job.failures[0].scope = Scope::process;
  job.tiers.insert(job.tiers.begin(), {.lost_with = Scope::host, .restore = 1_s, .after = {1_s}});
  const Each got = each(job);
  CHECK(got.lost == Approx(5.0).epsilon(0.02));
  CHECK(got.bad == 0.0);
}

TEST_CASE("bad saves: the optimum is Young's times sqrt((1 - p) / (1 + p))") {
  // delta / t + t (1/2 + p / (1 - p)) / M is least at sqrt(2 delta M (1 - p) / (1 + p))
  const double p = 0.5, factor = std::sqrt((1.0 - p) / (1.0 + p));
  JobProcess job = saver(p, 24_h);
  job.stalls = {60_s};
  job.tiers[0].after = {60_s};
  const auto waste = [&](Seconds interval) {
    return 1.0 - models::outlook(job, static_cast<std::int64_t>(interval.in(unit::s)), 1, 400)
                     .kept.mean();
  };
  const models::BestInterval best = models::best_interval(job, 1);
  const Seconds expected = models::young_interval(60_s, 24_h) * factor;
  CHECK(waste(Seconds::from(static_cast<double>(best.steps), unit::s)) ==
        Approx(waste(expected)).epsilon(0.03));
  CHECK(waste(expected) < waste(models::young_interval(60_s, 24_h)));
}

TEST_CASE("bad saves: reading back costs what was written, once more") {
  // 32 GB of 32 ranks over 8 OSTs that read 4 GB/s: 1 s more, and 1 GB of checksum at 10 GB/s
  Design design = small_design();
  set(design.fabric, Role::fabric, "rtt", "0 s");
  set(design.storage[0], Role::storage, "stripe.count", "0");
  set(design.storage[0], Role::storage, "client.stream", "100 GB/s");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000 Mops/s");
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "60"},
                                         {"size", "32 GB"},
                                         {"serializer", "none"},
                                         {"checksum", "10 GB/s"}});
  const double before = metric(run(design), "job.train.checkpoint.duration");
  set(*design.jobs[0].checkpoint, Role::checkpoint, "verify", "read-back");
  CHECK(metric(run(design), "job.train.checkpoint.duration") ==
        Approx(before + 1.1).epsilon(0.001));
}

TEST_CASE("bad saves: a job reports what it tried in vain, and what it lost") {
  Design design = small_design();
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"},
                                         {"every_steps", "60"},
                                         {"size", "32 GB"},
                                         {"keep.last", "1"},
                                         {"corrupt", "20 %"}});
  // 32 GPUs of 3200 h: a failure every 100 h, 7.2 in 30 d, of which a fifth loses all
  design.failures.push_back(
      component(Role::failure, "host", "gpu", {{"mtbf", "3200 h"}, {"correlated", "0 %"}}));
  design.jobs[0].recovery = component(Role::recovery, "restart", "recovery",
                                      {{"mount.delay", "30 s"}, {"mount.parallel", "3"}});
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.failures.bad_saves") == Approx(0.2).epsilon(0.05));
  CHECK(metric(result, "job.train.failures.lost_all") == Approx(1.44).epsilon(0.1));
  CHECK(metric(result, "job.train.failures.mount") == 60.0);
  CHECK(result.warnings.size() == 1);
  // what is read back at once is never the only one
  set(*design.jobs[0].checkpoint, Role::checkpoint, "verify", "read-back");
  CHECK(metric(run(design), "job.train.failures.lost_all") == 0.0);
}

TEST_CASE("mounts: pods wait for their turn") {
  // ceil(256 / 32) x 30 s; ceil(2 x 5 / 4) x 10 s; all at one time
  models::RecoveryParams p;
  p.mount = 30_s;
  p.mount_parallel = 32;
  CHECK(p.mounted(256.0) == 4_min);
  p.mount = 10_s;
  p.mount_parallel = 4;
  p.pods = 2;
  CHECK(p.mounted(5.0) == 30_s);
  p.mount_parallel.reset();
  CHECK(p.mounted(5000.0) == 10_s);
}

TEST_CASE("mounts: every restart pays them") {
  JobProcess job = saver(0.0);
  job.mount = 4_min;
  CHECK(each(job).restart == Approx(6.0).epsilon(0.01));
}

TEST_CASE("failures: loader workers are counted by rank") {
  // 64 ranks with 8 workers each, of 51,200 h: every 100 h
  const models::FailureParams p = models::process_failure_params(
      component(Role::failure, "process", "worker", {{"mtbf", "51200 h"}, {"per", "worker"}}));
  CHECK(
      (*p.mtbf / models::failing_units(p, {.ranks = 64, .hosts = 8, .workers = 512})).in(unit::h) ==
      100.0);
}

}  // namespace bad_saves_test
