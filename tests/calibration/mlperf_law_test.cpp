#include <catch2/catch.hpp>
#include <cmath>

#include "calibration/validation/mlperf/facts.hpp"
#include "calibration/validation/mlperf/prediction.hpp"
#include "calibration/validation/mlperf/round3.hpp"
#include "calibration/validation/mlperf/scenario.hpp"
#include "calibration/validation/mlperf/simulated.hpp"
#include "scenarios/resolve/print_resolved.hpp"
#include "scenarios/scenario_builder.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

constexpr double kTight = 1e-9;

System system_of(std::string_view workload, std::string_view accelerator = "h100") {
  System out;
  out.key = "invented";
  out.workload = find_workload(workload);
  out.compute = out.workload->compute(accelerator);
  out.read_threads = 32;
  out.memory = 64_GiB;
  out.cpu_threads = 128;
  return out;
}

Supply endless() {
  Supply out;
  out.aggregate = out.host = out.worker = Rate::infinity();
  return out;
}

Submission published(const System& system, double accelerators, double au) {
  Submission out;
  out.system = system;
  out.accelerators = accelerators;
  out.results.au = au;
  return out;
}

TEST_CASE("with endless storage a step costs its compute, a floor and the root of the ranks") {
  // 323 + (4.5 - 1.55) + 1.55 sqrt(16) = 332.15 ms
  const System unet = system_of("unet3d");
  CHECK(step_parts(unet, 16, 500, endless()).step().in(unit::ms) == Approx(332.15).epsilon(kTight));
  // 224 + 1.1 + 0.33 sqrt(64) + 32.8 x 64/128 = 244.14 ms
  const System resnet = system_of("resnet50");
  CHECK(step_parts(resnet, 64, 500, endless()).step().in(unit::ms) ==
        Approx(244.14).epsilon(kTight));
  // 3.5 + 0.69 + 0.131 sqrt(4) = 4.452 ms, opens 4/5130 s = 0.78 ms: (0.175)^10.3 adds nothing.
  const System cosmo = system_of("cosmoflow");
  CHECK(step_parts(cosmo, 4, 500, endless()).step().in(unit::ms) == Approx(4.452).epsilon(1e-6));
}

TEST_CASE("without its barrier a run of many ranks costs what one rank does") {
  System system = system_of("unet3d");
  system.barrier = false;
  CHECK(step_parts(system, 400, 500, endless()).base == step_parts(system, 1, 500, endless()).base);
}

TEST_CASE("where base and storage are equal the step is longer by the knee's root of 2") {
  const System system = system_of("resnet50");
  Supply supply = endless();
  const Seconds base = step_parts(system, 50, 500, supply).base;
  // storage = b L N / (1.61 C) = base
  supply.aggregate = system.workload->batch_bytes() * 50.0 / base / 1.61;
  CHECK(step_parts(system, 50, 500, supply).step() / base ==
        Approx(std::pow(2.0, 1.0 / 3.81)).epsilon(kTight));
}

TEST_CASE("batches that lie ready when the clock starts need no storage") {
  // 32 of 500 steps: (500 - 32) / 499 of the bytes count.
  const System system = system_of("unet3d");
  Supply supply = endless();
  supply.aggregate = 10_GBps;
  const Seconds all = system.workload->batch_bytes() * 8.0 / supply.aggregate;
  CHECK(step_parts(system, 8, 500, supply).storage / all == Approx(468.0 / 499.0).epsilon(kTight));
  // The TensorFlow loader of the others has none ready.
  const System resnet = system_of("resnet50");
  CHECK(step_parts(resnet, 8, 500, supply).storage /
            (resnet.workload->batch_bytes() * 8.0 / (supply.aggregate * 1.61)) ==
        Approx(1.0).epsilon(kTight));
}

TEST_CASE("a rank alone reads with its processes' rate, many wait for the slowest") {
  const System system = system_of("unet3d");
  Supply supply = endless();
  supply.worker = 0.4_GBps;
  const double head = 468.0 / 499.0;
  const Seconds alone = system.workload->batch_bytes() / supply.worker / 32.0 * head;
  CHECK(step_parts(system, 1, 500, supply).worker / alone == Approx(1.0).epsilon(kTight));
  // 1 + 1.75 sqrt(2 ln 100) x 0.12633 / sqrt(32), 0.12633 = 49 / 146.6 / sqrt(7)
  CHECK(step_parts(system, 100, 500, supply).worker / alone ==
        Approx(1.0 + 1.75 * std::sqrt(2.0 * std::log(100.0)) * 0.126333 / std::sqrt(32.0))
            .epsilon(1e-5));
}

TEST_CASE("opens of a host grow with the root of its threads") {
  System system = system_of("cosmoflow");
  system.hosts = 2;
  // 40 files of 20 ranks a host: 20 / 5130 s; with 4 times the threads half of it.
  CHECK(step_parts(system, 40, 500, endless()).opens.in(unit::s) ==
        Approx(20.0 / 5130.0).epsilon(kTight));
  system.cpu_threads = 512;
  CHECK(step_parts(system, 40, 500, endless()).opens.in(unit::s) ==
        Approx(10.0 / 5130.0).epsilon(kTight));
}

TEST_CASE("a data set has 500 steps, or five times the memory of the clients") {
  System system = system_of("unet3d");
  CHECK(steps_of(system, 72) == 500);
  // 5 x 1000 GiB / 146600628 B = 36621.2, so 36622 files: 5231.7 batches of 7
  system.memory = 1000_GiB;
  CHECK(steps_of(system, 1) == 5231);
  // resnet50: 5 x 1000 GiB / 114660.07 B = 46823499.0 samples in 37429 files of 1251: 46823679
  // samples are 117059.2 steps of 400
  System resnet = system_of("resnet50");
  resnet.memory = 1000_GiB;
  CHECK(steps_of(resnet, 1) == 117059);
}

TEST_CASE("the search finds what trying every count finds") {
  for (const std::string_view id : {"unet3d", "resnet50", "cosmoflow"})
    for (const double rate : {3.0, 20.0, 90.0})
      for (const double hosts : {1.0, 3.0}) {
        System system = system_of(id);
        system.hosts = hosts;
        Supply supply = endless();
        supply.aggregate = Rate::from(rate, unit::GBps);
        supply.worker = system.workload->step.worker;
        const double bar = system.workload->rules.bar.in(unit::ratio);
        double most = hosts;
        for (double n = hosts; n < 2000.0; n += hosts)
          if (utilization(system, n, steps_of(system, n), supply) >= bar) most = n;
        CAPTURE(id, rate, hosts);
        CHECK(supported(system, supply) == most);
      }
}

TEST_CASE("more bandwidth never supports fewer accelerators") {
  for (const std::string_view id : {"unet3d", "resnet50", "cosmoflow"}) {
    System system = system_of(id);
    Supply supply = endless();
    supply.worker = system.workload->step.worker;
    double before = 0.0;
    for (double rate = 0.5; rate < 1000.0; rate *= 1.3) {
      supply.aggregate = Rate::from(rate, unit::GBps);
      const double now = supported(system, supply);
      CAPTURE(id, rate);
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("the first step is the queues over the burst, its own process where that is slower") {
  const System system = system_of("unet3d", "a100");
  Supply supply = endless();
  supply.aggregate = 32.6_GBps;
  supply.first_epoch = 5_s;
  // 24 x 32 x 7 files of 146.6 MB = 788.1 GB through 32.6 GB/s, 0.636 s of compute, 5 s / 5
  CHECK(first_step(system, 24, 541, supply).in(unit::s) ==
        Approx(24 * 32 * 7 * 0.146600628 / 32.6 + 0.636 + 1.0).epsilon(1e-6));
  // One rank: a process reads its 1.0262 GB with 0.1 GB/s, storage is not a limit.
  supply.aggregate = Rate::infinity();
  supply.worker = 0.1_GBps;
  CHECK(first_step(system, 1, 541, supply).in(unit::s) ==
        Approx(10.262 + 0.636 + 1.0).epsilon(1e-4));
}

TEST_CASE("without reading processes the first step goes through all names of the data set") {
  // cosmoflow: 3.5 ms + 0.75 us x 1000 steps x 20 ranks x 1 file = 18.5 ms
  CHECK(first_step(system_of("cosmoflow"), 20, 1000, endless()).in(unit::ms) ==
        Approx(18.5).epsilon(kTight));
  // resnet50: 224 ms + 160 ms x 16^(1/4) = 544 ms
  CHECK(first_step(system_of("resnet50"), 16, 1000, endless()).in(unit::ms) ==
        Approx(544).epsilon(kTight));
}

TEST_CASE("calibration finds the rate again that made a row's AU") {
  for (const std::string_view id : {"unet3d", "resnet50", "cosmoflow"}) {
    System system = system_of(id);
    system.hosts = 4;
    Supply supply;
    supply.worker = system.workload->step.worker;
    supply.host = Rate::infinity();
    for (const double rate : {4.0, 30.0}) {
      supply.aggregate = Rate::from(rate, unit::GBps);
      const double n = 4.0 + supported(system, supply);  // where storage limits
      const double au = utilization(system, n, steps_of(system, n), supply);
      const auto fit = calibrate(published(system, n, au), false);
      REQUIRE(fit.has_value());
      CAPTURE(id, rate, n, au);
      // cosmoflow's opens may limit instead: then the rate is only bounded from below.
      if (id != "cosmoflow") CHECK(fit->rate.in(unit::GBps) == Approx(rate).epsilon(1e-6));
      const Supply back = supply_of_fit(system, *fit);
      CHECK(utilization(system, n, steps_of(system, n), back) == Approx(au).epsilon(1e-6));
    }
  }
}

TEST_CASE("a calibrated rate stays below what the data sheets allow") {
  System system = system_of("unet3d");
  system.hosts = 4;
  const double n = 8;
  const Submission row = published(system, n, 0.98);  // far from any limit
  for (auto limit : {&DataSheet::storage_nic, &DataSheet::drives, &DataSheet::client_nic}) {
    Submission limited = row;
    limited.system.sheet.*limit = 3_GBps;
    const double hosts = limit == &DataSheet::client_nic ? 4.0 : 1.0;
    CHECK(calibrate(limited, false)->rate.in(unit::GBps) <= 0.95 * 3.0 * hosts + kTight);
  }
}

TEST_CASE("one client below what the storage has is taken for the limit") {
  System one = system_of("unet3d");
  one.sheet = {50_GBps, 100_GBps, Rate::infinity(), 80_GBps};
  const auto fit = calibrate(published(one, 8, 0.85), false);
  REQUIRE(fit.has_value());
  REQUIRE(fit->client_bound);
  System four = one;
  four.hosts = 4;
  const Supply supply = supply_of_fit(four, *fit);
  CHECK(supply.host.in(unit::GBps) == Approx(fit->rate.in(unit::GBps)));
  // The storage then has what its vendor states: 97 % of 80 GB/s.
  CHECK(supply.aggregate.in(unit::GBps) == Approx(0.97 * 80.0));
}

TEST_CASE("a calibration row without its count is counted from what it delivered") {
  System system = system_of("unet3d");
  system.hosts = 3;
  Submission row = published(system, 12, 0.93);
  row.results.first_step = 6_s;
  // S N b L over first + (S - 1) ct / AU with S = 500
  const Seconds epoch = 6_s + 499.0 / 0.93 * system.compute;
  row.results.rate = system.workload->batch_bytes() * (500.0 * 12.0) / epoch;
  row.accelerators.reset();
  CHECK(accelerators_of(row) == 12.0);
  row.results.rate.reset();
  CHECK_FALSE(accelerators_of(row).has_value());
  CHECK_FALSE(calibrate(row, false).has_value());
}

TEST_CASE("a client's threads and memory are read from how its CPU is written") {
  const auto threads = [](const std::string& text) { return client_cpu(text).value().threads; };
  CHECK(threads("2x Xeon Platinum 8480C (DGX H100)") == 224.0);
  for (const char* one : {"1x EPYC 7502P (32c)", "1 x EPYC 7502P (32c)", "EPYC 7502P 32-Core",
                          "single EPYC 7502", "AMD EPYC 7502P"})
    CHECK(threads(one) == 64.0);
  CHECK(threads("Xeon 8480C") == 224.0);
  CHECK(threads("dual EPYC 7502, 32 cores") == 128.0);
  CHECK(threads("c6in.16xlarge") == 64.0);
  CHECK(threads("c5n.18xlarge (72 vCPU)") == 72.0);
  CHECK(threads("2x Xeon 6338 or 6336Y") == 128.0);
  CHECK(threads("EPYC 9654") == 384.0);
  CHECK_FALSE(client_cpu("something").has_value());
  CHECK_FALSE(client_cpu("").has_value());
  // 8 channels of DDR5-4800 a socket of Xeon 8400, 12 of EPYC 9000
  CHECK(client_cpu("2x Xeon Platinum 8480")->memory.in(unit::GBps) == Approx(614.4));
  CHECK(client_cpu("1x EPYC 9554")->memory.in(unit::GBps) == Approx(460.8));
  for (const char* zen2 : {"1x EPYC 7502P (32c)", "2x EPYC 7642", "2x EPYC 7H12"})
    CHECK(client_cpu(zen2)->zen2);
  for (const char* other : {"2x EPYC 7713", "1x EPYC 9554", "2x Xeon Gold 6342", "64 vCPU"})
    CHECK_FALSE(client_cpu(other)->zen2);
}

Facts facts_of(std::string_view workload, const std::string& product) {
  Facts out;
  out.id = "row";
  out.workload = find_workload(workload);
  out.compute = out.workload->compute("h100");
  out.hosts = 3;
  out.torch = out.workload->step.prefetching_workers;
  out.format = out.torch ? "npz" : "tfrecord";
  out.samples_per_file = out.torch ? 1.0 : out.workload->rules.samples_per_file;
  out.memory = 256_GiB;
  out.memory_rate = 400_GBps;
  out.port = Rate::from(200, unit::Gbps);
  out.product = product;
  out.nodes = 2;
  out.drives = 24;
  out.drive = {7_GBps};
  out.node_port = Rate::from(200, unit::Gbps);
  return out;
}

TEST_CASE("a row of every kind of storage is a scenario that can be built") {
  for (const char* product :
       {"Lustre 2.15", "WEKA 4", "JuiceFS, cache group", "NVMe/TCP stripe", "NFS 4 nconnect=4",
        "local", "another make", "pNFS (Flash)", "S3 (AIStore)", "Solidigm D7-PS1010"})
    for (const char* workload : {"unet3d", "resnet50", "cosmoflow"}) {
      CAPTURE(product, workload);
      const Scenario scenario =
          ScenarioBuilder::from_json(training(facts_of(workload, product), 10, 500), "row");
      CAPTURE(scenario.ok() ? "" : scenario.failure().message);
      REQUIRE(scenario.ok());
      const std::string text = scenarios::print_resolved(scenario.design(), false);
      CHECK(text.find("\"gpus\": 4") != std::string::npos);  // 10 ranks on 3 hosts
      CHECK(text.find("\"accelerators\": 10") != std::string::npos);
    }
}

TEST_CASE("TensorFlow's ranks lose more on shared cores of Zen 2, PyTorch's nothing") {
  const auto sharing = [](std::string_view workload, bool zen2) {
    Facts facts = facts_of(workload, "local");
    facts.zen2 = zen2;
    return training(facts, 10, 500)["jobs"][0]["step"]["sharing"];
  };
  CHECK(sharing("resnet50", false)["value"] == "7 %");
  CHECK(sharing("resnet50", true)["value"] == "9.5 %");
  CHECK(sharing("unet3d", true) == sharing("unet3d", false));
}

TEST_CASE("a checkpoint of every model is a scenario that can be built") {
  for (const char* product : {"Lustre", "S3 (AIStore)", "pNFS (Flash)", "Alluxio FUSE", "local"})
    for (const auto& [model, ranks] : {std::pair{"llama3-8b", 8.0},
                                       {"llama3-70b", 64.0},
                                       {"llama3-405b", 512.0},
                                       {"llama3-1t", 1024.0},
                                       {"llama3-70b", 8.0},
                                       {"llama3-405b", 8.0},
                                       {"llama3-1t", 8.0}}) {
      CAPTURE(product, model);
      Facts facts = facts_of("unet3d", product);
      facts.workload = nullptr;
      facts.hosts = 8;
      const Scenario scenario =
          ScenarioBuilder::from_json(checkpointing(facts, model, ranks), "row");
      CAPTURE(scenario.ok() ? "" : scenario.failure().message);
      CHECK(scenario.ok());
    }
}

TEST_CASE("draws are a figure with its interval on the scale of errors") {
  const PredictedFigure alike = figure_of({0.9, {0.9, 0.9, 0.9}, 0.5}, "ratio");
  CHECK(alike.value == Approx(0.9));
  // odds 9, times e^-0.5 and e^0.5
  CHECK(alike.low == Approx(9 * std::exp(-0.5) / (1 + 9 * std::exp(-0.5))));
  CHECK(alike.high == Approx(9 * std::exp(0.5) / (1 + 9 * std::exp(0.5))));
  const PredictedFigure seconds = figure_of({8.0, {8.0}, std::log(2.0)}, "s");
  CHECK(seconds.low == Approx(4.0));
  CHECK(seconds.high == Approx(16.0));
}

TEST_CASE("the size of a checkpoint is what the benchmark writes") {
  const auto size = checkpoint_size("llama3-8b", 8);
  REQUIRE(size.has_value());
  CHECK(size->rank.in(unit::GiB) == Approx(13.09));
  CHECK_FALSE(size->subset);
  CHECK_FALSE(checkpoint_size("gpt-2", 8).has_value());
  CHECK_FALSE(checkpoint_size("llama3-405b", 512)->subset);
  CHECK(checkpoint_size("llama3-1t", 1024)->all.in(unit::GiB) == Approx(15426.59));
}

TEST_CASE("a subset of ranks saves what they do of the whole checkpoint, or what the table says") {
  // 14.24 of 911.21 GiB: with ZeRO 3 all ranks have as much.
  const auto part = checkpoint_size("llama3-70b", 8);
  REQUIRE(part.has_value());
  CHECK(part->subset);
  CHECK(part->all.in(unit::GiB) == Approx(911.21 / 8).epsilon(0.001));

  Facts facts = facts_of("unet3d", "local");
  facts.workload = nullptr;
  const auto saved = [&](std::optional<Bytes> size) {
    return checkpointing(facts, "llama3-405b", 8, size)["jobs"][0];
  };
  const Bytes whole = Bytes::from(8 * 12.32, unit::GiB), said = Bytes::from(94, unit::GiB);
  const auto bytes = [](const base::Json& job) {
    return std::stod(job["checkpoint"]["size"].get<std::string>());
  };
  CHECK(bytes(saved(std::nullopt)) == Approx(whole.in(unit::B)));
  CHECK(bytes(saved(said)) == Approx(said.in(unit::B)));
  CHECK_FALSE(saved(said).contains("parallel"));
  // A whole one of another size than the model's keeps its layout.
  const base::Json other = checkpointing(facts, "llama3-405b", 512, said)["jobs"][0];
  CHECK(bytes(other) == Approx(said.in(unit::B)));
  CHECK(other["parallel"]["pipeline"] == 32);
  CHECK(other["checkpoint"]["layout"] == "zero1");
}

}  // namespace
}  // namespace stallcast::calibration::mlperf
