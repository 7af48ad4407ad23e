#include <catch2/catch.hpp>

#include "models/network/kinds.hpp"
#include "tests/support/designs.hpp"

namespace communication_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::literals;
using models::Role;

namespace {

// 4 hosts of 8 GPUs with 8 x 400 Gb/s for communication, 100 ms steps, a model of 1 G parameters.
Design design_with(const char* kind, Settings settings) {
  Design design = small_design();
  JobDesign& job = design.jobs[0];
  job.model = component(Role::model, "dense", "model", {{"parameters", "1e9"}});
  job.communication = component(Role::communication, kind, "communication", settings);
  set(design.run, Role::run, "duration", "10 s");
  return design;
}
// Ranks of 7 B parameters in 16 layers on `hosts` hosts, each with `nics` NICs of 100 Gb/s: 16
// micro-batches of 64 MiB. What a step waits for.
double exposed(double ranks, double hosts, double tensor, double pipeline, double nics) {
  const Component megatron = component(Role::communication, "megatron", "communication",
                                       {{"tokens", "8192"}, {"microbatches", "16"}});
  const Component model =
      component(Role::model, "dense", "model",
                {{"parameters", "7e9"}, {"shape.layers", "16"}, {"shape.hidden", "4096"}});
  return models::megatron_traffic(megatron, {.model = models::model_params(model),
                                             .ranks = ranks,
                                             .hosts = hosts,
                                             .tensor = tensor,
                                             .pipeline = pipeline,
                                             .nvlink = 450_GBps,
                                             .network = 12.5_GBps * nics,
                                             .nic_efficiency = Fraction::from(0.95, unit::ratio),
                                             .shares = {}})
      .exposed.time()
      .in(unit::s);
}
double step(const Design& design) { return metric(run(design), "job.train.step.time"); }

const models::RankGroup kAll{
    .ranks = 32, .hosts = 4, .link = 450_GBps * 0.85, .network = 400_GBps * 0.92};
double all_reduce(double bytes) {
  return models::collective(models::Collective::all_reduce, Bytes::from(bytes, unit::B), kAll)
      .time()
      .in(unit::s);
}

}  // namespace

TEST_CASE("communication that was measured is added to every step") {
  const RunResult result = run(design_with("given", {{"exposed", "25 ms"}}));
  CHECK(metric(result, "job.train.step.time") == Approx(0.125).epsilon(1e-12));
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(0.8).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("communication") == Approx(0.2).epsilon(1e-9));
  CHECK(result.limited_by.at("job.train") == "job.train.communication");
}

TEST_CASE("ddp: what the backward pass hides costs its slowdown and the last bucket") {
  // 2 GB of gradients in 80 buckets; 79 of them run alongside 0.9 x 67 % of 100 ms = 60.3 ms
  const double bucket = all_reduce(25e6);
  const double hidden = 79 * bucket;
  REQUIRE(hidden < 0.0603);
  const Design design = design_with("ddp", {});
  CHECK(step(design) == Approx(0.1 + 0.05 * hidden + bucket).epsilon(1e-9));
  CHECK(metric(run(design), "job.train.communication.time") ==
        Approx(hidden + bucket).epsilon(1e-9));
  CHECK(metric(run(design), "job.train.communication.exposed") ==
        Approx(0.05 * hidden + bucket).epsilon(1e-9));
}

TEST_CASE("fewer GPUs than there are exchange data between all hosts, as they read on all") {
  // 8 of 32 GPUs are two on each of 4 hosts; 3 of them one on each of 3
  const auto exposed = [](const char* accelerators) {
    Design design = design_with("ddp", {});
    set(design.jobs[0].job, Role::job, "accelerators", accelerators);
    return metric(run(design), "job.train.communication.time");
  };
  const auto buckets = [](double ranks, double hosts) {
    models::RankGroup group = kAll;
    group.ranks = ranks, group.hosts = hosts;
    return 80 *
           models::collective(models::Collective::all_reduce, Bytes::from(25e6, unit::B), group)
               .time()
               .in(unit::s);
  };
  CHECK(exposed("8") == Approx(buckets(8, 4)).epsilon(1e-9));
  CHECK(exposed("3") == Approx(buckets(3, 3)).epsilon(1e-9));
  CHECK(exposed("32") == Approx(buckets(32, 4)).epsilon(1e-9));
}

TEST_CASE("ddp: what the backward pass cannot hide is waited for") {
  // 8 bytes a parameter: 320 buckets, 18 ms to hide them; compute that is slowed hides more of
  // them, so its slowdown costs nothing on top
  const double bucket = all_reduce(25e6);
  const Design design = design_with("ddp", {{"gradient", "8"}, {"backward", "20 %"}});
  CHECK(step(design) == Approx(0.1 + (319 * bucket - 0.018) + bucket).epsilon(1e-9));
}

TEST_CASE("ddp: only the last micro-batch hides communication") {
  const double bucket = all_reduce(25e6);
  const double window = 0.9 * 0.67 * 0.1 / 8.0;
  const Design design = design_with("ddp", {{"accumulation", "8"}});
  CHECK(step(design) == Approx(0.1 + (79 * bucket - window) + bucket).epsilon(1e-9));
}

TEST_CASE("fsdp: two gathers and a scatter of every unit, the first and the last exposed") {
  const Bytes unit_bytes = Bytes::from(2e9 / 32, unit::B);
  const double gather =
      models::collective(models::Collective::all_gather, unit_bytes, kAll).time().in(unit::s);
  const double scatter =
      models::collective(models::Collective::reduce_scatter, unit_bytes, kAll).time().in(unit::s);
  const double hidden = 63 * gather + 31 * scatter;
  REQUIRE(hidden < 0.09);
  CHECK(step(design_with("fsdp", {})) ==
        Approx(0.1 + 0.05 * hidden + gather + scatter).epsilon(1e-9));
}

TEST_CASE("a converged fabric alone changes nothing when its ports are the same") {
  Design separate = design_with("ddp", {{"gradient", "8"}});
  set(separate.hosts[0], Role::host, "nic.count", "8");
  Design converged = separate;
  set(converged.fabric, Role::fabric, "converged", "true");
  CHECK(step(converged) == Approx(step(separate)).epsilon(1e-9));
}

TEST_CASE(
    "a flush alongside gradients lengthens the step on a converged fabric, not on a separate one") {
  // Saves of 400 GB from 4 hosts with 1 x 400 Gb/s to storage of 160 GB/s: the flush fills the
  // NICs.
  Design design = design_with("ddp", {{"gradient", "4"}, {"backward", "20 %"}});
  set(design.storage[0], Role::storage, "ost.count", "64");
  Design saving = design;
  saving.jobs[0].checkpoint =
      component(Role::checkpoint, "async", "checkpoint",
                {{"to", "scratch"}, {"every", "5 s"}, {"size", "400 GB"}, {"serializer", "none"}});
  const auto slower = [](const Design& with, const Design& without) {
    return metric(run(with), "job.train.communication.exposed") /
           metric(run(without), "job.train.communication.exposed");
  };
  CHECK(slower(saving, design) == Approx(1.0).epsilon(1e-9));
  set(design.fabric, Role::fabric, "converged", "true");
  set(saving.fabric, Role::fabric, "converged", "true");
  CHECK(slower(saving, design) > 1.05);
  CHECK(run(saving).limited_by.at("job.train.communication.exposed") == "host.gpu.nic.write");
}

TEST_CASE("a converged fabric gives collectives the host's storage ports") {
  // 10 GB in one message over 4 x 1 port of 46 GB/s, 2 x 31/32 of it from every host: 421 ms
  Design design = design_with("ddp", {{"gradient", "10"}, {"bucket", "1 TB"}});
  set(design.fabric, Role::fabric, "converged", "true");
  CHECK(metric(run(design), "job.train.communication.time") ==
        Approx(2.0 * 31 / 32 * 10 / 46).epsilon(0.01));
}

TEST_CASE("megatron: tensor, pipeline and data parallelism by hand") {
  // 32 ranks: 8 tensor x 2 stages x 2 copies; 4 micro-batches of 4096 tokens x 2048 x 2 B = 16 MiB
  Design design = design_with("megatron", {{"tokens", "4096"}, {"microbatches", "4"}});
  JobDesign& job = design.jobs[0];
  set(job.job, Role::job, "parallel.tensor", "8");
  set(job.job, Role::job, "parallel.pipeline", "2");
  set(job.model, Role::model, "shape.layers", "16");
  set(job.model, Role::model, "shape.hidden", "2048");
  using models::Collective;
  const auto seconds = [](Collective what, double bytes, const models::RankGroup& group) {
    return models::collective(what, Bytes::from(bytes, unit::B), group).time().in(unit::s);
  };
  const Rate nvlink = 450_GBps * 0.85;
  // 4 all-reduces for each of 8 layers and micro-batch, on one host
  const double tensor =
      4 * 8 * 4 * seconds(Collective::all_reduce, 16777216, {.ranks = 8, .link = nvlink});
  // 2 (4 + 2 - 1) sends over all 8 ports
  const double pipeline =
      10 * seconds(Collective::send, 16777216,
                   {.ranks = 2, .hosts = 2, .link = nvlink, .network = 400_GBps * 0.92});
  // 2 copies on 2 hosts, each GPU with its own port: 1e9 / 16 parameters x 2 B in 8 layers
  const double layer = seconds(Collective::all_reduce, 1e9 / 16 * 2 / 8,
                               {.ranks = 2, .hosts = 2, .link = nvlink, .network = 50_GBps * 0.92});
  const double window = 0.9 * 0.67 * 0.1 / 4;
  REQUIRE(7 * layer < window);
  CHECK(step(design) == Approx(0.1 + tensor + pipeline + layer + 0.05 * 7 * layer).epsilon(1e-9));
}

TEST_CASE("stages of one host send over NVLink, and at a host's edge one stage has the NICs") {
  // 16 stages of one GPU: (16 + x) x 2 sends of 64 MiB cross hosts, (15 - x) x 2 do not
  const double bytes = 8192 * 4096 * 2.0;
  const double across = 18e-6 + bytes / (12.5e9 * 0.92), within = 11.8e-6 + bytes / (450e9 * 0.85);
  CHECK(exposed(16, 16, 1, 16, 1) == Approx(62 * across).epsilon(1e-9));
  CHECK(exposed(16, 4, 1, 16, 1) == Approx(2 * (19 * across + 12 * within)).epsilon(1e-9));
  CHECK(exposed(16, 2, 1, 16, 1) == Approx(2 * (17 * across + 14 * within)).epsilon(1e-9));
  CHECK(exposed(16, 1, 1, 16, 1) == Approx(62 * within).epsilon(1e-9));
  // a network that one host does not use is not waited for
  CHECK(exposed(16, 1, 1, 16, 1e-6) == exposed(16, 1, 1, 16, 1));
}

TEST_CASE("no stage waits longer where the same GPUs and NICs are in fewer hosts") {
  // a NIC with every GPU; tensor ranks, copies and stages in any proportion
  for (const double tensor : {1.0, 2.0, 8.0})
    for (const double copies : {1.0, 2.0, 4.0})
      for (const double pipeline : {2.0, 4.0, 16.0}) {
        const double ranks = tensor * copies * pipeline;
        double before = 1e9;
        for (double gpus = 1.0; gpus <= ranks; gpus *= 2.0) {
          const double time = exposed(ranks, ranks / gpus, tensor, pipeline, gpus);
          CAPTURE(tensor, copies, pipeline, gpus);
          CHECK(time <= before * (1.0 + 1e-9));
          before = time;
        }
      }
}

TEST_CASE("collectives wait for the lesser of NVLink and the NICs") {
  // over hosts bus = min(0.85 x NVLink, 0.92 x 400 GB/s): the same with 432.9 GB/s of NVLink
  const auto limit = [](const char* kind, const char* nvlink, const char* hosts = "4") {
    Design design = design_with(kind, {});
    set(design.hosts[0], Role::host, "nvlink.rate", nvlink);
    set(design.hosts[0], Role::host, "count", hosts);
    return run(design).limited_by.at("job.train.communication.time");
  };
  for (const char* kind : {"ddp", "fsdp"}) {
    CHECK(limit(kind, "45000 GB/s") == "host.gpu.compute_nic");
    CHECK(limit(kind, "450 GB/s") == "host.gpu.compute_nic");
    CHECK(limit(kind, "400 GB/s") == "host.gpu.nvlink");
    CHECK(limit(kind, "45 GB/s", "1") == "host.gpu.nvlink");
  }
  // trees over two hosts: each byte crosses once each way, and NVLink carries it twice
  CHECK(limit("ddp", "45000 GB/s", "2") == "host.gpu.compute_nic");
}

}  // namespace communication_test
