#include <catch2/catch.hpp>
#include <cmath>

#include "engine/sim/fluid_context.hpp"
#include "models/plant/plant.hpp"
#include "models/run/simulate.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

namespace folding_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

double metric(const Design& design, const std::string& name) {
  const auto context = sim::make_fluid_context();
  return models::simulate(design, 1, *context).metrics.at(name).value;
}

// 32 ranks that together demand 41.6 GB/s of 32 GB/s.
Design loaded(const char* stdev, const char* detail) {
  Design design = small_design();
  design.jobs[0].dataset = component(
      Role::dataset, "raw", "dataset",
      {{"on", "scratch"}, {"sample", "130 MB"}, {"sample_stdev", stdev}, {"samples", "1000000"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}});
  set(design.run, Role::run, "detail", detail);
  return design;
}

}  // namespace

TEST_CASE("equal samples fold into one class") {
  CHECK(models::Plant(loaded("0 B", "16")).layout("train").classes() == 1);
  CHECK(models::Plant(loaded("30 MB", "16")).layout("train").classes() == 16);
  CHECK(models::Plant(loaded("30 MB", "32")).layout("train").classes() == 32);
}

TEST_CASE("a folded class is exact while its members act alike") {
  // Sizes that differ by one part in 1e12 are simulated rank by rank, and give the same step times.
  const auto step_time = [](const char* stdev, bool queue) {
    Design design = loaded(stdev, "32");
    if (!queue) {
      set(design.storage[0], Role::storage, "mdt.service", "1 ns");
      set(design.storage[0], Role::storage, "mdt.open", "1000000 Mops/s");
    }
    return metric(design, "job.train.step.time");
  };
  CHECK(step_time("0.0001 B", false) == Approx(step_time("0 B", false)).epsilon(1e-9));
  // In the line of the MDS members are served one by one while a class waits for its last: 0.4 %
  // here.
  CHECK(step_time("0.0001 B", true) == Approx(step_time("0 B", true)).epsilon(0.01));
}

namespace {

// 128 ranks of 64 hosts read objects whose first bytes have a 99th percentile of `spread` times the
// median: none waits for data on average, and somebody does at most steps.
Design tailed(const char* compute, const char* spread, const char* detail, const char* slowest) {
  Design design = design_with_storage("s3", {{"first_byte", "40 ms"},
                                             {"first_byte_spread", spread},
                                             {"connection.rate", "400 MB/s"},
                                             {"prefixes", "64"}});
  set(design.hosts[0], Role::host, "count", "64");
  set(design.hosts[0], Role::host, "gpus", "2");
  set(design.jobs[0].step, Role::step, "compute", compute);
  set(design.jobs[0].step, Role::step, "jitter", "1 %");
  design.jobs[0].dataset = component(Role::dataset, "raw", "dataset",
                                     {{"on", "scratch"}, {"sample", "8 MB"}, {"samples", "1e9"}});
  design.jobs[0].loader = component(Role::loader, "pytorch", "loader",
                                    {{"batch", "1"}, {"workers", "2"}, {"prefetch", "4"}});
  set(design.jobs[0].job, Role::job, "steps", "400");
  set(design.jobs[0].job, Role::job, "epochs", "1");
  set(design.run, Role::run, "detail", detail);
  set(design.run, Role::run, "slowest", slowest);
  return design;
}

double mean_step(const Design& design) {
  double sum = 0.0;
  for (const std::uint64_t seed : {1, 2, 3, 4})
    sum += models::simulate(design, seed, *sim::make_fluid_context())
               .metrics.at("job.train.steady.step.time")
               .value;
  return sum / 4.0;
}

}  // namespace

TEST_CASE("a step waits for the slowest of all ranks, not of those that are simulated") {
  // Every rank by itself: means of four seeds lie within 3 % of each other where the tail is heavy.
  const struct {
    const char *compute, *spread;
    double all;  // of what every rank by itself gives
  } cases[] = {{"120 ms", "3", 0.01}, {"120 ms", "10", 0.04}, {"60 ms", "10", 0.05}};
  for (const auto& [compute, spread, within] : cases) {
    INFO(compute << ", " << spread);
    const double exact = mean_step(tailed(compute, spread, "128", "all"));
    CHECK(mean_step(tailed(compute, spread, "8", "all")) == Approx(exact).epsilon(within));
    CHECK(mean_step(tailed(compute, spread, "32", "all")) == Approx(exact).epsilon(within));
    // Where every rank is simulated there is nobody else.
    CHECK(exact == mean_step(tailed(compute, spread, "128", "classes")));
  }
  // The slowest of eight is not the slowest of 128.
  const double exact = mean_step(tailed("60 ms", "10", "128", "all"));
  CHECK(mean_step(tailed("60 ms", "10", "8", "classes")) < 0.85 * exact);
}

TEST_CASE("communication comes after the slowest of all ranks, hidden or not") {
  const auto with = [](const char* detail) {
    Design design = tailed("60 ms", "10", detail, "all");
    design.jobs[0].communication = component(Role::communication, "ddp", "communication", {});
    set(design.jobs[0].model, Role::model, "parameters", "2e9");
    return design;
  };
  const double exact = mean_step(with("128"));
  CHECK(mean_step(with("8")) == Approx(exact).epsilon(0.05));
  double sum = 0.0;
  const auto result = models::simulate(with("8"), 1, *sim::make_fluid_context());
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  CHECK(result.breakdown.at("train").at("communication") > 0.02);
}

TEST_CASE("what is waited for ranks that are not simulated is told, and charged to their reads") {
  const auto context = sim::make_fluid_context();
  const auto result = models::simulate(tailed("60 ms", "10", "8", "all"), 1, *context);
  CHECK(result.metrics.at("job.train.unseen.wait").value > 0.005);
  CHECK(result.breakdown.at("train").at("data") > 0.1);
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-9));
  CHECK(result.limited_by.at("job.train") == "storage.scratch.first_byte");
  const auto other = sim::make_fluid_context();
  CHECK(models::simulate(tailed("60 ms", "10", "8", "classes"), 1, *other)
            .metrics.count("job.train.unseen.wait") == 0);
}

TEST_CASE("half the classes change the utilization of varied ranks by under three percent") {
  // measured 2026-11: see docs/models/folding.md
  const double all = metric(loaded("30 MB", "32"), "job.train.gpu.utilization");
  const double half = metric(loaded("30 MB", "16"), "job.train.gpu.utilization");
  CHECK(half == Approx(all).epsilon(0.03));
}

namespace {

// Every rank reads 100 MB a step through its host's only port of 16 GB/s, and computes 5 ms.
Design bound_by_ports() {
  Design design = small_design();
  set(design.hosts[0], Role::host, "nic.rate", "16 GB/s");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  design.storage[0] = component(Role::storage, "nvmeof", "scratch",
                                {{"target.count", "500"}, {"drive.count", "24"}});
  set(design.jobs[0].step, Role::step, "compute", "5 ms");
  set(design.jobs[0].step, Role::step, "jitter", "1 %");
  design.jobs[0].dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "100 MB"}, {"samples", "1e9"}, {"direct", "true"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "4"}});
  set(design.jobs[0].job, Role::job, "steps", "60");
  design.run.values.erase("duration");
  return design;
}

std::vector<double> members(const Design& design) {
  std::vector<double> out;
  const models::Plant plant(design);
  for (const models::RankPlace& place : plant.layout("train").places) out.push_back(place.members);
  return out;
}

}  // namespace

TEST_CASE("what ranks of a host share takes as long on many hosts as on one") {
  // 96 samples of 1 MB a step and host from two drives of 0.8 GB/s are 60 ms; workers also decode,
  // 2 ms a sample. No host shares anything with another. Workers of one class read in step: were
  // the ranks of a host one class, its drives would rest while they decode (75 ms of 8 hosts, 85 of
  // 32).
  const auto step = [](const char* hosts, const char* workers) {
    Design design =
        design_with_storage("local", {{"drive.count", "2"}, {"drive.read", "0.8 GB/s"}});
    set(design.hosts[0], Role::host, "count", hosts);
    set(design.hosts[0], Role::host, "cpu.cores", "128");
    set(design.jobs[0].step, Role::step, "compute", "20 ms");
    set(design.jobs[0].step, Role::step, "jitter", "1 %");
    design.jobs[0].dataset =
        component(Role::dataset, "raw", "dataset",
                  {{"on", "scratch"}, {"sample", "1 MB"}, {"samples", "2e6"}, {"decode", "2 ms"}});
    design.jobs[0].loader =
        component(Role::loader, "pytorch", "loader", {{"batch", "12"}, {"workers", workers}});
    set(design.jobs[0].job, Role::job, "steps", "100");
    design.run.values.erase("duration");
    return metric(design, "job.train.steady.step.time");
  };
  for (const char* workers : {"1", "2"}) {
    const double one = step("1", workers);
    CHECK(one == Approx(0.062).epsilon(0.04));
    for (const char* hosts : {"4", "8", "32"})
      CHECK(step(hosts, workers) == Approx(one).epsilon(0.01));
  }
}

TEST_CASE("hosts on leaves that do not limit read at one pace, however many there are") {
  // Leaves of 4 hosts (8 ports, half of them up). 8 ranks of a host read 800 MB a step: 50 ms.
  // Uplinks carry 17.8 GB/s x 95 % (sprayed) for each host.
  Design design = bound_by_ports();
  set(design.jobs[0].job, Role::job, "steps", "240");  // the first two were fetched ahead
  design.fabric =
      component(Role::fabric, "fat-tree", "fabric",
                {{"leaf.ports", "8"}, {"link.rate", "17.8 GB/s"}, {"efficiency", "100 %"}});
  for (const char* stdev : {"0 B", "1 kB"})  // 4 classes, and 16
    for (int hosts = 1; hosts <= 40; hosts += hosts < 24 ? 1 : 4) {
      INFO(hosts << " hosts, sizes that differ by " << stdev);
      set(design.hosts[0], Role::host, "count", std::to_string(hosts).c_str());
      set(*design.jobs[0].dataset, Role::dataset, "sample_stdev", stdev);
      CHECK(metric(design, "job.train.steady.step.time") == Approx(0.05).epsilon(0.015));
    }
}

TEST_CASE("ranks are whole: all wait for the host that has one more") {
  Design design = bound_by_ports();
  set(design.hosts[0], Role::host, "count", "8");
  set(design.hosts[0], Role::host, "nic.rate", "4 GB/s");
  set(design.jobs[0].job, Role::job, "steps", "240");  // the first two were fetched ahead
  const auto pace = [](double ranks_of_host) {
    return Approx(ranks_of_host * 100e6 / 4e9).epsilon(0.025);
  };
  for (const char* fold : {"true", "false"})
    for (int ranks = 9; ranks <= 33; ranks += 3) {
      INFO(ranks << " ranks, folded: " << fold);
      set(design.run, Role::run, "fold", fold);
      set(design.jobs[0].job, Role::job, "accelerators", std::to_string(ranks).c_str());
      CHECK(metric(design, "job.train.steady.step.time") == pace(std::ceil(ranks / 8.0)));
    }
  set(design.jobs[0].job, Role::job, "accelerators", "9");
  CHECK(members(design) == std::vector<double>(9, 1.0));
  set(design.run, Role::run, "fold", "true");
  set(design.jobs[0].step, Role::step, "jitter", "0 %");
  CHECK(members(design) == std::vector{2.0, 7.0});
  set(*design.jobs[0].dataset, Role::dataset, "sample_stdev", "1 kB");
  CHECK(members(design) == std::vector<double>(9, 1.0));
  // a sixth of a reader on each of 6 hosts, of which leaves, a straggler and others cut the last
  {
    Design copy = design;
    set(copy.hosts[0], Role::host, "count", "7");
    set(copy.hosts[0], Role::host, "slow.count", "1");
    copy.fabric = component(Role::fabric, "rail-optimized", "fabric",
                            {{"leaf.ports", "8"}, {"oversubscription", "2"}});
    set(copy.jobs[0].job, Role::job, "accelerators", "6");
    set(copy.jobs[0].job, Role::job, "parallel.tensor", "6");
    CHECK(members(copy) == std::vector{5.0, 1.0});
  }
  // 48 ranks in copies of 6: 8 of them read, two on each of the first two hosts of 6
  set(design.hosts[0], Role::host, "count", "6");
  design.jobs[0].job.values.erase("accelerators");
  set(design.jobs[0].job, Role::job, "parallel.tensor", "2");
  set(design.jobs[0].job, Role::job, "parallel.pipeline", "3");
  CHECK(metric(design, "job.train.steady.step.time") == pace(2.0));
}

TEST_CASE("a host with one more rank saves for one more") {
  // 9 GB of each of 9 ranks on 4 hosts: the first has 3, through its port of 1 GB/s
  Design design = small_design();
  set(design.hosts[0], Role::host, "nic.rate", "1 GB/s");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  set(design.jobs[0].job, Role::job, "accelerators", "9");
  set(design.run, Role::run, "duration", "200 s");
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"size", "81 GB"}, {"every", "20 s"}, {"serializer", "none"}});
  CHECK(metric(design, "job.train.checkpoint.duration") == Approx(27.0).epsilon(0.02));
  set(design.run, Role::run, "fold", "false");
  CHECK(metric(design, "job.train.checkpoint.duration") == Approx(27.0).epsilon(0.02));
}

TEST_CASE("fewer ranks than hosts are one on each of the first") {
  // Saves of rank 0, or a straggler that has none of 3 ranks, cut the 4 hosts: no class is a part
  // of a rank. 8 GB of each of 3 ranks through its own port of 1 GB/s.
  Design design = small_design();
  set(design.hosts[0], Role::host, "nic.rate", "1 GB/s");
  set(design.hosts[0], Role::host, "nic.count", "1");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  set(design.jobs[0].job, Role::job, "accelerators", "3");
  set(design.jobs[0].step, Role::step, "jitter", "1 %");
  design.jobs[0].checkpoint =
      component(Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"size", "24 GB"}, {"every", "20 s"}, {"serializer", "none"}});
  CHECK(members(design) == std::vector{3.0});
  CHECK(metric(design, "job.train.checkpoint.duration") == Approx(8.0).epsilon(0.05));
  set(design.hosts[0], Role::host, "slow.count", "1");
  CHECK(members(design) == std::vector{3.0});
  set(*design.jobs[0].checkpoint, Role::checkpoint, "layout", "rank0");
  CHECK(members(design) == std::vector{1.0, 2.0});
  CHECK(metric(design, "job.train.checkpoint.duration") > 24.0);  // one stream, of one host
}

TEST_CASE("of fewer ranks than hosts one has a file more") {
  // 100 shards dealt to 3 ranks on 4 hosts: 34, 33 and 33.
  Design design = small_design();
  set(design.jobs[0].job, Role::job, "accelerators", "3");
  design.jobs[0].dataset = component(
      Role::dataset, "webdataset", "dataset",
      {{"on", "scratch"}, {"sample", "100 kB"}, {"samples", "100000"}, {"shard", "100 MB"}});
  design.jobs[0].loader =
      component(Role::loader, "pytorch", "loader", {{"style", "iterable"}, {"batch", "8"}});
  CHECK(members(design) == std::vector{1.0, 2.0});
}

}  // namespace folding_test
