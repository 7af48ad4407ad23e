#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace training_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("a job that reads and saves nothing computes all the time") {
  const RunResult result = run(small_design());
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(1.0).epsilon(1e-12));
  CHECK(metric(result, "job.train.steps") == 600);  // 60 s of 100 ms steps
}

TEST_CASE("the release cost of the barrier is paid every step and grows with the ranks") {
  // 32 ranks: 2 ms + 5 x 1 ms = 7 ms a step of 100 ms
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "barrier.base", "2 ms");
  set(design.jobs[0].job, Role::job, "barrier.per_doubling", "1 ms");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.step.time") == Approx(0.107).epsilon(1e-12));
  CHECK(result.breakdown.at("train").at("sync") == Approx(7.0 / 107.0).epsilon(1e-9));
}

TEST_CASE("ranks that share cores lose a share of the step by the root of their number on each") {
  // 7 others on the 28 cores of a host: 1 ms + 20 % of 100 ms / 2 a step of 100 ms
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "barrier.base", "0 s");
  set(design.jobs[0].job, Role::job, "barrier.per_doubling", "0 s");
  set(design.jobs[0].step, Role::step, "overhead", "1 ms");
  set(design.jobs[0].step, Role::step, "sharing", "20 %");
  set(design.hosts[0], Role::host, "cpu.cores", "28");
  CHECK(metric(run(design), "job.train.step.time") == Approx(0.111).epsilon(1e-12));
}

TEST_CASE("the first step after a start takes its warm-up more, and no other") {
  // 100 steps of 100 ms, the first of them 5 s longer: nothing of that is in the steady step.
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "barrier.base", "0 s");
  set(design.jobs[0].job, Role::job, "barrier.per_doubling", "0 s");
  set(design.jobs[0].step, Role::step, "warm_up", "5 s");
  set(design.run, Role::run, "duration", "14.95 s");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.steps") == 100.0);
  CHECK(metric(result, "job.train.time.wall") == Approx(15.0).epsilon(1e-12));
  CHECK(metric(result, "job.train.time.cpu") == Approx(5.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.time.sync") == Approx(0.0).margin(1e-9));
  CHECK(result.limited_by.at("job.train") == "job.train.warm_up");
  CHECK(metric(result, "job.train.steady.step.time") == Approx(0.1).epsilon(1e-12));
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(10.0 / 15.0).epsilon(1e-12));
  // AU leaves out the first step.
  CHECK(metric(result, "job.train.au") == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("an epoch that the end of the run cuts has no AU, unless there is no other") {
  // 10 steps an epoch, each 100 ms and a release of 50 ms that AU counts: 900 ms of 10 x 150 - 100.
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "steps", "10");
  set(design.jobs[0].job, Role::job, "barrier.base", "50 ms");
  set(design.jobs[0].job, Role::job, "barrier.per_doubling", "0 s");
  const auto au = [&](const char* duration, double steps) {
    set(design.run, Role::run, "duration", duration);
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.steps") == steps);
    return metric(result, "job.train.au");
  };
  for (const auto& [duration, steps] :
       {std::pair{"1.45 s", 10.0}, {"1.7 s", 12.0}, {"2.8 s", 19.0}, {"2.95 s", 20.0}})
    CHECK(au(duration, steps) == Approx(0.9 / 1.4).epsilon(1e-9));
  // Two steps are all there is: 100 ms of 2 x 150 - 100.
  CHECK(au("0.25 s", 2.0) == Approx(0.5).epsilon(1e-9));
  // `epochs` ends with whole ones, unless time ends it before.
  set(design.jobs[0].job, Role::job, "epochs", "2");
  CHECK(au("2 s", 14.0) == Approx(0.9 / 1.4).epsilon(1e-9));
  CHECK(au("5 s", 20.0) == Approx(0.9 / 1.4).epsilon(1e-9));
}

TEST_CASE("nor has it a throughput as DLIO counts it") {
  // 200 ms of loading and 100 ms of compute a step: 8 samples in 9 steps of 300 ms.
  Design design = one_reader("raw", {{"sample", "100 MB"}});
  set(*design.jobs[0].loader, Role::loader, "workers", "0");
  set(design.jobs[0].job, Role::job, "steps", "10");
  for (const char* duration : {"2.9 s", "3.5 s", "4.5 s"}) {
    set(design.run, Role::run, "duration", duration);
    CHECK(metric(run(design), "job.train.throughput.dlio") == Approx(8.0 / 2.7).epsilon(1e-6));
  }
}

TEST_CASE("rounds of MLPerf Storage differ in how DLIO counts samples, not in AU") {
  // 10 steps of 200 ms of loading and 100 ms of compute: v1.0 counts ten samples in 3 s.
  Design design = one_reader("raw", {{"sample", "100 MB"}});
  set(*design.jobs[0].loader, Role::loader, "workers", "0");
  set(design.jobs[0].job, Role::job, "steps", "10");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  for (const auto& [round, samples] :
       {std::pair{"dlio-v1", 10.0 / 3.0}, std::pair{"dlio-v2", 8.0 / 2.7}}) {
    set(design.jobs[0].job, Role::job, "au", round);
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.throughput.dlio") == Approx(samples).epsilon(1e-6));
    CHECK(metric(result, "job.train.au") == Approx(0.9 / 2.7).epsilon(1e-6));
  }
}

TEST_CASE("a barrier of processes costs its root of the ranks") {
  // 32 ranks: 1 ms + 1.5 ms x sqrt(32) = 9.4853 ms a step of 100 ms
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "barrier.base", "1 ms");
  set(design.jobs[0].job, Role::job, "barrier.per_sqrt", "1.5 ms");
  CHECK(metric(run(design), "job.train.step.time") ==
        Approx(0.101 + 0.0015 * std::sqrt(32.0)).epsilon(1e-12));
}

TEST_CASE("a barrier outside the numbers of ranks it was fitted to is said") {
  // 32 ranks
  const auto warned = [](const char* fewest, const char* most) -> std::string {
    Design design = small_design();
    set(design.jobs[0].job, Role::job, "barrier.fitted.fewest", fewest);
    set(design.jobs[0].job, Role::job, "barrier.fitted.most", most);
    const RunResult result = run(design);
    CHECK(result.extrapolated == !result.warnings.empty());
    return result.warnings.empty() ? "" : result.warnings.front();
  };
  CHECK(warned("32", "32").empty());
  CHECK(warned("2", "16") ==
        "job.train.barrier: 32 ranks are more than the 16 measured, outside what its profile was "
        "fitted to");
  CHECK(warned("64", "128") ==
        "job.train.barrier: 32 ranks are fewer than the 64 measured, outside what its profile was "
        "fitted to");
}

TEST_CASE("compute jitter costs the slowest of all ranks") {
  // E[max of 32 normal draws] = 2.07 sigma; lognormal with cv 2 % is nearly normal: 4.1 %
  Design design = small_design();
  set(design.jobs[0].step, Role::step, "jitter", "2 %");
  set(design.run, Role::run, "duration", "2000 s");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.step.time") == Approx(0.1 * 1.0417).epsilon(0.002));
}

TEST_CASE("one rank waits for nobody, however its steps vary") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", "1");
  set(design.hosts[0], Role::host, "gpus", "1");
  set(design.jobs[0].step, Role::step, "jitter", "10 %");
  CHECK(metric(run(design), "job.train.steady.barrier") == Approx(0.0).margin(1e-12));
}

TEST_CASE("the shares of wall time sum to one") {
  Design design = small_design();
  set(design.jobs[0].step, Role::step, "jitter", "5 %");
  design.jobs[0].dataset = component(
      Role::dataset, "npz", "dataset",
      {{"on", "scratch"}, {"sample", "100 MB"}, {"sample_stdev", "30 MB"}, {"samples", "100000"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "2"}});
  design.jobs[0].checkpoint = component(Role::checkpoint, "sync", "checkpoint",
                                        {{"to", "scratch"}, {"every", "10 s"}, {"size", "20 GB"}});
  const RunResult result = run(design);
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) {
    CHECK(share >= 0.0);
    sum += share;
  }
  CHECK(sum == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("the same seed gives the same bits and another seed does not") {
  Design design = small_design();
  set(design.jobs[0].step, Role::step, "jitter", "5 %");
  CHECK(metric(run(design, 7), "job.train.step.time") ==
        metric(run(design, 7), "job.train.step.time"));
  CHECK(metric(run(design, 7), "job.train.step.time") !=
        metric(run(design, 8), "job.train.step.time"));
}

TEST_CASE("fewer readers than hosts have the ports and drives of their own hosts alone") {
  // 4 hosts of 8 GPUs. Tensor 8 x pipeline 4: one reader, on one host, though of 8 workers;
  // pipeline 2: two; 1: four. A step reads 100 MB for each, through a port of 1 GB/s, or from a
  // drive of 1 GB/s.
  const auto rate = [](const char* pipeline, bool local) {
    Design design = local ? design_with_storage("local", {{"drive.count", "1"},
                                                          {"drive.read", "1 GB/s"},
                                                          {"drive.write", "1 GB/s"},
                                                          {"client.stream", "100 GB/s"}})
                          : small_design();
    set(design.hosts[0], Role::host, "nic.count", "1");
    set(design.hosts[0], Role::host, "nic.rate", "1 GB/s");
    set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
    if (!local) set(design.storage[0], Role::storage, "ost.read", "1 TB/s");
    JobDesign& job = design.jobs[0];
    job.dataset = component(
        Role::dataset, "webdataset", "dataset",
        {{"on", design.storage[0].id.c_str()}, {"sample", "10 MB"}, {"samples", "10000000"}});
    job.loader = component(Role::loader, "pytorch", "loader",
                           {{"batch", "10"}, {"workers", "8"}, {"start", "0 s"}});
    set(job.job, Role::job, "parallel.tensor", "8");
    set(job.job, Role::job, "parallel.pipeline", pipeline);
    set(job.step, Role::step, "compute", "1 ms");
    set(design.run, Role::run, "duration", "300 s");
    return metric(run(design), "job.train.throughput.bytes");
  };
  for (const bool local : {false, true}) {
    CHECK(rate("4", local) == Approx(1e9).epsilon(0.06));
    CHECK(rate("2", local) == Approx(2e9).epsilon(0.06));
    CHECK(rate("1", local) == Approx(4e9).epsilon(0.06));
  }
}

TEST_CASE("one rank of each copy of the model reads") {
  // 32 GPUs, tensor 4 x pipeline 2: 4 copies. 10 samples of 1 MB each and step of 100 ms, where 32
  // readers take 8 times as much.
  Design design = small_design();
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "10000000"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "10"}});
  const RunResult every = run(design);
  set(design.jobs[0].job, Role::job, "parallel.tensor", "4");
  set(design.jobs[0].job, Role::job, "parallel.pipeline", "2");
  const RunResult one = run(design);
  for (const char* name : {"job.train.throughput.samples", "job.train.throughput.bytes"}) {
    const double step = metric(one, "job.train.step.time") / metric(every, "job.train.step.time");
    CHECK(metric(one, name) * step * 8.0 == Approx(metric(every, name)).epsilon(0.01));
  }
  CHECK(metric(one, "job.train.throughput.samples") * metric(one, "job.train.step.time") ==
        Approx(40.0).epsilon(0.01));
}

}  // namespace training_test
