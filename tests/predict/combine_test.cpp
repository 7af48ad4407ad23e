#include <catch2/catch.hpp>
#include <vector>

#include "engine/decide/predict/predict.hpp"

namespace combine_test {

using namespace stallcast;

namespace {

RunResult replica(std::uint64_t seed, double utilization, double stall_max) {
  RunResult r;
  r.seed = seed;
  r.metrics["job.train.gpu.utilization"] = {utilization, "ratio", {}};
  r.metrics["job.train.checkpoint.stall.max"] = {stall_max, "s", {}};
  r.breakdown["train"] = {{"compute", utilization}, {"data", 1.0 - utilization}};
  r.resources.push_back({"storage.scratch.ost", "B/s", 100e9, 40e9, 90e9, 0.2});
  r.resources.push_back({"storage.scratch.oss.nic", "B/s", 50e9, 49e9, 50e9, 0.8});
  r.resources.push_back({"host.gpu.pcie", "B/s", 1e12, 1e6, 1e6, 0.0});
  r.simulated_s = 7200;
  r.events = 10;
  return r;
}

}  // namespace

TEST_CASE("metrics are the mean over replicas, worst cases the maximum") {
  const std::vector<RunResult> replicas = {replica(1, 0.90, 2.0), replica(2, 0.94, 7.0)};
  const Prediction p = predict::combine(Design{}, replicas);
  const Metric& utilization = p.metrics.at("job.train.gpu.utilization");
  CHECK(utilization.value == Approx(0.92));
  // t(0.975, 1) = 12.7062, s = 0.028284, half = 12.7062 * 0.028284 / sqrt(2) = 0.254124
  CHECK(utilization.ci95->first == Approx(0.92 - 0.254124).epsilon(1e-5));
  CHECK(p.metrics.at("job.train.checkpoint.stall.max").value == 7.0);
  CHECK_FALSE(p.metrics.at("job.train.checkpoint.stall.max").ci95.has_value());
  CHECK(p.seeds == std::vector<std::uint64_t>{1, 2});
  CHECK(p.events == 20);
}

TEST_CASE("a replica that never waited for a resource counts as one that waited no time for it") {
  std::vector<RunResult> replicas = {replica(1, 0.90, 2.0), replica(2, 0.94, 7.0)};
  replicas[0].metrics["job.train.waited.storage.scratch.hsm"] = {60.0, "s", {}};
  replicas[1].metrics["job.train.waited.storage.scratch.ost"] = {20.0, "s", {}};
  replicas[1].metrics["job.train.checkpoint.time"] = {5.0, "s", {}};
  const Prediction p = predict::combine(Design{}, replicas);
  CHECK(p.metrics.at("job.train.waited.storage.scratch.hsm").value == Approx(30.0));
  CHECK(p.metrics.at("job.train.waited.storage.scratch.ost").value == Approx(10.0));
  CHECK(p.metrics.at("job.train.waited.storage.scratch.ost").ci95->first == 0.0);
  // A time is the mean of those who have one.
  CHECK(p.metrics.at("job.train.checkpoint.time").value == Approx(5.0));
}

TEST_CASE("the mean breakdown still sums to one") {
  const std::vector<RunResult> replicas = {replica(1, 0.90, 2.0), replica(2, 0.94, 7.0)};
  const Prediction p = predict::combine(Design{}, replicas);
  double sum = 0.0;
  for (const auto& [cause, share] : p.breakdown.at("train")) sum += share;
  CHECK(sum == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("what was waited for longest comes first, idle resources are left out") {
  const std::vector<RunResult> replicas = {replica(1, 0.90, 2.0)};
  const Prediction p = predict::combine(Design{}, replicas);
  REQUIRE(p.bottlenecks.size() == 2);
  CHECK(p.bottlenecks[0].resource == "storage.scratch.oss.nic");
  CHECK(p.bottlenecks[0].headroom == "1 GB/s left of 50 GB/s on average, none while it is in use");
  CHECK(p.bottlenecks[1].resource == "storage.scratch.ost");
  CHECK(p.metrics.at("resource.storage.scratch.oss.nic.utilization").value == Approx(0.98));
}

TEST_CASE("drives that seek are full, whatever their bytes take") {
  RunResult one;
  one.resources.push_back({"storage.fs.drives", "B/s", 33.6e9, 2e9, 2e9, 0.9});
  one.resources.push_back({"storage.fs.drives.busy", "drives", 8.0, 7.98, 8.0, 0.0});
  one.resources.push_back({"storage.hd.disk", "B/s", 4e9, 3.9e9, 4e9, 0.1});
  one.resources.push_back({"storage.hd.disk.busy", "drives", 8.0, 6.0, 8.0, 0.0});
  const Prediction p = predict::combine(Design{}, std::vector{one});
  REQUIRE(p.bottlenecks.size() == 3);
  CHECK(p.bottlenecks[0].resource == "storage.fs.drives");
  CHECK(p.bottlenecks[0].blamed_share == 0.9);
  CHECK(p.bottlenecks[0].utilization == Approx(7.98 / 8.0));
  CHECK(p.bottlenecks[0].headroom == "nothing left of 8 drives");
  CHECK(p.bottlenecks[1].resource == "storage.hd.disk");
  CHECK(p.bottlenecks[1].utilization == Approx(0.975));
  CHECK(p.bottlenecks[2].resource == "storage.hd.disk.busy");
}

TEST_CASE("a part of which only the time is counted is as busy as that") {
  RunResult one;
  one.resources.push_back({"storage.s.device", "", 0.0, 0.0, 0.0, 1.0});
  one.resources.push_back({"storage.s.device.busy", "server", 1.0, 1.0, 1.0, 0.0});
  const Prediction p = predict::combine(Design{}, std::vector{one});
  REQUIRE(p.bottlenecks.size() == 1);
  CHECK(p.bottlenecks[0].resource == "storage.s.device");
  CHECK(p.bottlenecks[0].blamed_share == 1.0);
  CHECK(p.bottlenecks[0].headroom == "nothing left of 1 server");
}

TEST_CASE("a network that is waited for by collectives says nothing of how busy it is") {
  RunResult one = replica(1, 0.90, 2.0);
  one.resources.push_back({"host.g.nvlink", "B/s", 6.12e12, 1.45e6, 3e6, 0.99});
  Prediction p = predict::combine(Design{}, std::vector{one});
  CHECK(p.bottlenecks[0].resource == "host.g.nvlink");
  CHECK(p.bottlenecks[0].headroom == "collectives are not counted");
  CHECK(p.bottlenecks[0].utilization == 0.0);
  // Shards that are sent on to other GPUs are bytes.
  one.resources.back().throughput = one.resources.back().in_use = 6e12;
  p = predict::combine(Design{}, std::vector{one});
  CHECK(p.bottlenecks[0].utilization == Approx(6.0 / 6.12));
  CHECK(p.bottlenecks[0].headroom.find("left of 6.12 TB/s") != std::string::npos);
}

TEST_CASE("what has no capacity to share has no utilization that a target could name") {
  RunResult one = replica(1, 0.90, 2.0);
  one.resources.push_back({"storage.scratch.stream", "", 0.0, 0.0, 0.0, 0.9});
  const std::vector<RunResult> replicas = {one};
  const Prediction p = predict::combine(Design{}, replicas);
  CHECK(p.bottlenecks[0].headroom == "a limit of each process by itself");
  CHECK_FALSE(p.metrics.contains("resource.storage.scratch.stream.utilization"));
}

}  // namespace combine_test
