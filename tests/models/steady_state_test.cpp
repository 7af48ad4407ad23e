#include <catch2/catch.hpp>

#include "models/plant/plant.hpp"
#include "tests/support/designs.hpp"

namespace steady_state_test {

/// What a training loop that times itself reports, and what its loader costs it.
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double train(const Design& design, const std::string& name) {
  return metric(run(design), "job.train." + name);
}

// Ten steps of 200 ms of loading and 100 ms of compute by one GPU; the loader as in `settings`.
Design ten_steps(Settings settings) {
  Design design = one_reader("raw", {{"sample", "100 MB"}});
  set(design.jobs[0].job, Role::job, "steps", "10");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  design.run.values.erase("duration");
  for (const auto& [key, text] : settings) set(*design.jobs[0].loader, Role::loader, key, text);
  return design;
}

// `gpus` GPUs of one server that are handed a batch in 100 ms with a spread of 5 % and compute for
// 1 ms; reading takes no time.
Design handed_over(const char* gpus) {
  Design design = one_reader("raw", {{"sample", "1 B"}}, "1 ms");
  set(design.hosts[0], Role::host, "gpus", gpus);
  set(*design.jobs[0].loader, Role::loader, "handover", "100 ms");
  set(*design.jobs[0].loader, Role::loader, "receive.spread", "5 %");
  set(*design.jobs[0].loader, Role::loader, "prefetch", "4");
  set(design.run, Role::run, "duration", "200 s");
  return design;
}

}  // namespace

TEST_CASE("the steady step leaves out the first step of the run and the start of workers") {
  // No workers: every step takes 200 + 100 ms.
  const Design alone = ten_steps({{"workers", "0"}});
  CHECK(train(alone, "steady.step.time") == Approx(0.3).epsilon(1e-6));
  CHECK(train(alone, "steady.wait") == Approx(0.2).epsilon(1e-6));
  CHECK(train(alone, "steady.barrier") == Approx(0.0).margin(1e-9));
  CHECK(train(alone, "steady.au") == Approx(1.0 / 3.0).epsilon(1e-6));
  // One worker, started in 1 s in each of two epochs: a step takes 200 ms, the first of an epoch
  // 100 ms more, because nothing was loaded alongside it. 18 of 200 ms and one of 300.
  Design twice = ten_steps({{"start", "1 s"}});
  set(twice.jobs[0].job, Role::job, "epochs", "2");
  CHECK(train(twice, "first_batch") == Approx(1.2).epsilon(1e-6));
  CHECK(train(twice, "first_batch.waited") == Approx(0.2).epsilon(1e-6));
  CHECK(train(twice, "steady.step.time") == Approx((18 * 0.2 + 0.3) / 19).epsilon(1e-6));
  CHECK(train(twice, "steady.au") == Approx(19 * 0.1 / (18 * 0.2 + 0.3)).epsilon(1e-6));
}

TEST_CASE("a forked worker boots before its first batch, alongside the start of the next") {
  // 50 ms to start, 30 ms of CPU in the worker, 200 ms to load
  CHECK(train(ten_steps({{"start", "50 ms"}, {"boot", "30 ms"}}), "first_batch.waited") ==
        Approx(0.23).epsilon(1e-6));
  // Of two the first is ready when the second has been started.
  CHECK(train(ten_steps({{"workers", "2"}, {"start", "50 ms"}, {"boot", "30 ms"}}),
              "first_batch.waited") == Approx(0.2).epsilon(1e-6));
}

TEST_CASE("the steady step contains the saves, and their stalls add up to one figure") {
  Design design = ten_steps({{"workers", "0"}});
  design.jobs[0].checkpoint = component(
      Role::checkpoint, "sync", "checkpoint",
      {{"to", "scratch"}, {"every_steps", "5"}, {"size", "10 GB"}, {"serializer", "none"}});
  const RunResult result = run(design);
  const double stall = metric(result, "job.train.checkpoint.stall");
  REQUIRE(metric(result, "job.train.checkpoint.count") == 2.0);
  CHECK(metric(result, "job.train.checkpoint.stall.total") == Approx(2 * stall).epsilon(1e-9));
  CHECK(metric(result, "job.train.steady.step.time") ==
        Approx((9 * 0.3 + 2 * stall) / 9).epsilon(1e-6));
}

TEST_CASE("ranks wait for the slowest at the barrier, folded or one by one") {
  // The largest of n lognormal times of 100 ms and c = 5 % has the mean 100 ms x (1 + c m1 + c^2
  // (m2 - 1) / 2) to second order, m1 and m2 being the first two moments of the largest of n
  // normal numbers: 1.029 and 1.55 of 4, 2.070 and 4.55 of 32. The mean rank waits for the rest.
  for (const auto& [gpus, more] : {std::pair{"4", 0.05 * 1.029 + 0.00125 * 0.55},
                                   std::pair{"32", 0.05 * 2.07 + 0.00125 * 3.55}}) {
    Design design = one_reader("raw", {{"sample", "1 B"}});
    set(design.hosts[0], Role::host, "gpus", gpus);
    set(design.jobs[0].step, Role::step, "jitter", "5 %");
    set(design.run, Role::run, "duration", "400 s");
    CHECK(train(design, "steady.step.time") == Approx(0.1 * (1 + more)).epsilon(0.002));
    CHECK(train(design, "steady.barrier") == Approx(0.1 * more).epsilon(0.03));
    CHECK(train(design, "steady.au") == Approx(1 / (1 + more)).epsilon(0.002));
  }
}

TEST_CASE("few ranks are simulated one by one when they draw different times") {
  // One rank: 100 ms of hand-over on average. Four wait for the slowest: 100 ms (1 + 5 % x 1.029).
  CHECK(train(handed_over("1"), "steady.step.time") == Approx(0.101).epsilon(0.004));
  CHECK(train(handed_over("4"), "steady.step.time") == Approx(0.101 + 0.00515).epsilon(0.004));
  CHECK(models::Plant(handed_over("4")).layout("train").classes() == 4);
  CHECK(models::Plant(handed_over("5")).layout("train").classes() == 1);
  Design alike = handed_over("4");
  set(*alike.jobs[0].loader, Role::loader, "receive.spread", "0 %");
  CHECK(models::Plant(alike).layout("train").classes() == 1);
}

TEST_CASE("a batch is mapped while an earlier one is waited for") {
  // Two workers load the two batches of a run in times t0 and t1, which differ. If the second is
  // there first, 70 ms of its hand-over of 100 ms are spent while the first is waited for, at most
  // t0 - t1: the run is shorter by max(0, min(t0 - t1, 70 ms)) than when all is paid on delivery.
  const auto wall = [](const char* delivery, const char* handover, std::uint64_t seed) {
    Design design = ten_steps({{"workers", "2"}, {"handover", handover}});
    set(design.jobs[0].job, Role::job, "steps", "2");
    set(*design.jobs[0].dataset, Role::dataset, "sample_stdev", "60 MB");
    set(*design.jobs[0].loader, Role::loader, "receive.delivery", delivery);
    return 2 * metric(run(design, seed), "job.train.step.time");
  };
  int hidden = 0, paid = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const double saved = wall("100 %", "100 ms", seed) - wall("30 %", "100 ms", seed);
    CHECK(saved > -1e-9);
    CHECK(saved < 0.07 + 1e-9);
    hidden += saved > 0.07 - 1e-9 ? 1 : 0;
    paid += saved < 1e-9 ? 1 : 0;
  }
  CHECK(hidden > 0);
  CHECK(paid > 0);
}

TEST_CASE("the hand-over takes a core that workers want too") {
  // One core: a worker decodes for 80 ms a batch, the training process maps it for 20 ms and
  // computes for 1 ms. A batch takes 100 ms of the core; with two cores 80 ms, in the worker.
  Design design = one_reader("raw", {{"sample", "1 B"}, {"decode", "80 ms"}}, "1 ms");
  set(*design.jobs[0].loader, Role::loader, "handover", "20 ms");
  set(*design.jobs[0].loader, Role::loader, "prefetch", "4");
  set(design.hosts[0], Role::host, "cpu.cores", "1");
  CHECK(train(design, "steady.step.time") == Approx(0.1).epsilon(1e-3));
  set(design.hosts[0], Role::host, "cpu.cores", "2");
  CHECK(train(design, "steady.step.time") == Approx(0.08).epsilon(1e-3));
}

}  // namespace steady_state_test
