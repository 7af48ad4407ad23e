#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "models/plant/plant.hpp"
#include "tests/support/course.hpp"
#include "tests/support/designs.hpp"

namespace straggler_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

/// Equations: docs/models/folding.md.
namespace {

using Fields = std::vector<std::pair<const char*, const char*>>;

/// `hosts` hosts of 2 GPUs with a loader of 2 workers, 100 ms steps, one batch of 1 x `sample` per
/// rank and step, metadata that take no time.
Design reading(const char* hosts, const char* sample, const Fields& slow,
               const char* steps = "60") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "count", hosts);
  set(design.hosts[0], Role::host, "gpus", "2");
  set(design.hosts[0], Role::host, "nic.rate", "16 GB/s");
  set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
  for (const auto& [key, text] : slow) set(design.hosts[0], Role::host, key, text);
  set(design.storage[0], Role::storage, "ost.count", "16");
  set(design.storage[0], Role::storage, "mdt.service", "1 ns");
  set(design.storage[0], Role::storage, "mdt.open", "1000000 Mops/s");
  set(design.storage[0], Role::storage, "mdt.create", "1000000 Mops/s");
  JobDesign& job = design.jobs[0];
  job.dataset = component(Role::dataset, "raw", "dataset",
                          {{"on", "scratch"}, {"sample", sample}, {"samples", "1e9"}});
  job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "1"}, {"workers", "2"}});
  set(job.job, Role::job, "steps", steps);
  design.run.values.erase("duration");
  return design;
}

/// Largest difference of a step's end between `design` folded and every rank by itself.
double folding_error(Design design) {
  const Course folded = course_of(design, false);
  set(design.run, Role::run, "fold", "false");
  return difference(folded, course_of(design, false));
}

void save(Design& design, const char* kind, const Fields& settings = {}) {
  design.jobs[0].checkpoint =
      component(Role::checkpoint, kind, "checkpoint",
                {{"to", "scratch"}, {"size", "64 GB"}, {"every_steps", "20"}});
  for (const auto& [key, text] : settings)
    set(*design.jobs[0].checkpoint, Role::checkpoint, key, text);
}

/// Leaves nothing in the loader that takes time besides reading.
void only_read(Design& design) {
  for (const auto& [key, text] : Fields{{"start", "0 s"}, {"handover", "0 s"}, {"copy", "none"}})
    set(*design.jobs[0].loader, Role::loader, key, text);
  for (const auto& [key, text] : Fields{{"parse", "1000000 TB/s"}, {"parse_fixed", "0 s"}})
    set(*design.jobs[0].dataset, Role::dataset, key, text);
}

double sum_of_shares(const RunResult& result) {
  double sum = 0.0;
  for (const auto& [cause, share] : result.breakdown.at("train")) sum += share;
  return sum;
}

}  // namespace

TEST_CASE("all wait for a host that computes at four fifths of the speed") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "slow.count", "1");
  set(design.hosts[0], Role::host, "slow.compute", "80 %");
  const RunResult result = run(design);
  // t = 100 ms / 0.8 = 125 ms, of which 100 ms are the work and 25 ms waiting for it.
  CHECK(metric(result, "job.train.step.time") == Approx(0.125));
  CHECK(metric(result, "job.train.gpu.utilization") == Approx(0.8));
  CHECK(result.breakdown.at("train").at("sync") == Approx(0.2));
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
  CHECK(metric(result, "job.train.slow.time") == Approx(0.125));
  CHECK(metric(result, "job.train.slow.others") == Approx(0.1));
  CHECK(metric(result, "job.train.slow.cost") == Approx(0.2));
  CHECK(result.limited_by.at("job.train") == "host.gpu.slow");
  // A script sees (3 x 100 + 125) / 4 ms of compute and (3 x 25) / 4 ms of barrier on average.
  CHECK(metric(result, "job.train.steady.au") == Approx(106.25 / 125.0));
  CHECK(metric(result, "job.train.steady.barrier") == Approx(0.01875));
  CHECK(models::bounds(design).utilization == Approx(0.8));
}

TEST_CASE("without slow hosts nothing is said of them") {
  CHECK_FALSE(run(small_design()).metrics.contains("job.train.slow.cost"));
}

TEST_CASE("one step is enough to see a slow host") {
  // behind its first batch 100 ms, and 125 ms at four fifths of the speed
  const RunResult result =
      run(reading("4", "1 kB", {{"slow.count", "1"}, {"slow.compute", "80 %"}}, "1"));
  CHECK(metric(result, "job.train.steps") == 1.0);
  CHECK(metric(result, "job.train.slow.time") - metric(result, "job.train.slow.others") ==
        Approx(0.025).epsilon(1e-6));
}

TEST_CASE("when all hosts are slow none waits for another") {
  Design design = small_design();
  set(design.hosts[0], Role::host, "slow.count", "4");
  set(design.hosts[0], Role::host, "slow.compute", "50 %");
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.step.time") == Approx(0.2));
  CHECK_FALSE(result.metrics.contains("job.train.slow.cost"));
}

TEST_CASE("a port of a quarter of its rate is waited for as data") {
  // Two ranks of the slow host read 1.6 GB a step at 16 / 4 GB/s: 400 ms; the others need 100 ms.
  Design design = reading("4", "800 MB", {{"slow.count", "1"}, {"slow.nic", "25 %"}}, "200");
  only_read(design);
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.steady.step.time") == Approx(0.4).epsilon(0.02));
  CHECK(result.breakdown.at("train").at("data") > 0.7);
  CHECK(result.limited_by.at("job.train") == "host.gpu.nic.read");
  CHECK(sum_of_shares(result) == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("stragglers cost one class more") {
  const Design alike = reading("32", "1 MB", {});
  CHECK(models::Plant(alike).layout("train").classes() == 1);
  const Design slow = reading("32", "1 MB", {{"slow.count", "3"}, {"slow.compute", "90 %"}});
  CHECK(models::Plant(slow).layout("train").classes() == 2);
}

TEST_CASE("folded stragglers are those of every rank by itself") {
  const char* const hosts = GENERATE("4", "8", "32");
  INFO(hosts << " hosts");
  const Fields compute{{"slow.count", "2"}, {"slow.compute", "80 %"}};
  const Fields port{{"slow.count", "1"}, {"slow.nic", "20 %"}};
  SECTION("by compute") { CHECK(folding_error(reading(hosts, "20 MB", compute)) <= 1e-9); }
  SECTION("by the network port, storage idle") {
    CHECK(folding_error(reading(hosts, "200 MB", port)) <= 1e-9);
  }
  SECTION("with a job that saves and waits") {
    for (const Fields& slow : {compute, port}) {
      Design design = reading(hosts, "20 MB", slow);
      save(design, "sync");
      CHECK(folding_error(design) <= 1e-9);
    }
  }
  SECTION("with a job that saves alongside training") {
    for (const Fields& slow : {compute, port}) {
      Design design = reading(hosts, "20 MB", slow);
      save(design, "async");
      CHECK(folding_error(design) <= 1e-9);
    }
  }
  SECTION("with saves of few ranks") {
    Design design = reading(hosts, "20 MB", port);
    save(design, "sync", {{"layout", "fsdp-hybrid"}});
    CHECK(folding_error(design) <= 1e-9);
  }
  SECTION("for some time only") {
    CHECK(folding_error(reading(hosts, "200 MB",
                                {{"slow.count", "1"},
                                 {"slow.nic", "20 %"},
                                 {"slow.compute", "90 %"},
                                 {"slow.from", "1 s"},
                                 {"slow.until", "4 s"}})) <= 1e-9);
  }
}

TEST_CASE("folded stragglers on saturated storage are those of every rank by itself") {
  const char* const hosts = GENERATE("8", "32");
  INFO(hosts << " hosts");
  const char* const sample = GENERATE("1 GB", "600 MB");
  for (const Fields& slow : {Fields{{"slow.count", "1"}, {"slow.nic", "20 %"}},
                             Fields{{"slow.count", "2"}, {"slow.compute", "50 %"}}}) {
    Design design = reading(hosts, sample, slow);
    set(*design.jobs[0].loader, Role::loader, "workers", "1");
    CHECK(folding_error(design) <= 1e-9);
    save(design, "async");
    CHECK(folding_error(design) <= 1e-9);
  }
}

TEST_CASE("hosts in several groups wait in a save for what they all share") {
  // 64 GB into 16 OSTs of 1.25 GB/s: 3.2 s. The group that ends last is alone for a moment, with a
  // port of 16 GB/s before the 20 GB/s of all OSTs.
  Design design = reading("8", "1 kB", {});
  for (const auto& [key, text] : Fields{{"ost.write", "1.25 GB/s"},
                                        {"ost.read", "1.25 GB/s"},
                                        {"stripe.count", "0"},
                                        {"mdt.create", "50 kops/s"},
                                        {"mdt.service", "0.1 ms"}})
    set(design.storage[0], Role::storage, key, text);
  save(design, "sync", {{"serializer", "none"}, {"snapshot", "none"}});
  SECTION("alike") {}
  SECTION("one by one") { set(design.run, Role::run, "fold", "false"); }
  SECTION("one is slow") {
    set(design.hosts[0], Role::host, "slow.count", "1");
    set(design.hosts[0], Role::host, "slow.compute", "99 %");
  }
  const RunResult result = run(design);
  CHECK(result.limited_by.at("job.train.checkpoint.duration") == "storage.scratch.ost");
  CHECK(metric(result, "job.train.checkpoint.took.storage.scratch.ost") ==
        Approx(3.2).epsilon(0.01));
}

TEST_CASE("stragglers for some time change the steps of that time only") {
  // 100 ms steps; at 50 % from 2 s to 4 s: 20 steps of 100 ms, 10 of 200 ms, then 100 ms again.
  Design design = reading(
      "4", "1 MB",
      {{"slow.count", "1"}, {"slow.compute", "50 %"}, {"slow.from", "2 s"}, {"slow.until", "4 s"}});
  set(*design.jobs[0].loader, Role::loader, "start", "0 s");
  const Course course = course_of(design, false);
  const auto took = [&](std::size_t step) { return course.ends[step] - course.ends[step - 1]; };
  CHECK(took(10) == Approx(0.1).epsilon(0.02));
  CHECK(took(25) == Approx(0.2).epsilon(0.02));
  CHECK(took(50) == Approx(0.1).epsilon(0.02));
  CHECK(course.ends.back() == Approx(60 * 0.1 + 10 * 0.1).epsilon(0.02));
}

TEST_CASE("no jump crosses the dates of stragglers") {
  const auto check = [](const Design& design, double share) {
    const Course all = course_of(design, false), some = course_of(design, true);
    CHECK(difference(some, all) <= 1e-9);
    CHECK(some.skipped / some.wall > share);
  };
  Design design = reading("32", "20 MB",
                          {{"slow.count", "2"},
                           {"slow.compute", "70 %"},
                           {"slow.nic", "20 %"},
                           {"slow.from", "10 min"},
                           {"slow.until", "30 min"}},
                          "40000");
  SECTION("steps alone") { check(design, 0.9); }
  SECTION("with saves") {
    save(design, "async", {{"every_steps", "300"}});
    check(design, 0.8);
  }
  SECTION("for ever") {
    design.hosts[0].values.erase("slow.until");
    check(design, 0.9);
  }
}

TEST_CASE("leaves that are not full fold as they are") {
  // Leaves of 4 hosts (8 ports, half of them up, 1 port a host), 10 hosts: 4 + 4 + 2. A link up has
  // a tenth of a port's rate, so full leaves are short of uplinks and the last is half as short.
  Design design = reading("10", "100 MB", {});
  design.fabric =
      component(Role::fabric, "fat-tree", "fabric",
                {{"leaf.ports", "8"}, {"link.rate", "1.6 GB/s"}, {"efficiency", "100 %"}});
  only_read(design);
  CHECK(models::Plant(design).groups("gpu").size() == 2);
  // 4 hosts x 2 ranks x 100 MB over 4 x 1.6 GB/s x 95 % (sprayed) = 131.6 ms a step; spread evenly
  // it would be 10 x 2 x 100 MB / (3 x 6.08 GB/s) = 109.6 ms.
  const RunResult result = run(design);
  CHECK(metric(result, "job.train.steady.step.time") == Approx(0.1316).epsilon(0.01));
  CHECK(result.limited_by.at("job.train") == "fabric.gpu.area.uplink.read");
  CHECK(folding_error(design) <= 1e-9);
  set(design.hosts[0], Role::host, "slow.count", "3");
  set(design.hosts[0], Role::host, "slow.nic", "2 %");
  CHECK(folding_error(design) <= 1e-9);
}

TEST_CASE("what takes the place of a lost straggler is none") {
  // 60 s: steps of 200 ms up to 20.1 s, 10 s until all start again, then steps of 100 ms where a
  // host was replaced.
  const auto steps = [](const char* kind, const char* slow, const char* count) {
    Design design = small_design();
    set(design.hosts[0], Role::host, "slow.count", count);
    set(design.hosts[0], Role::host, "slow.compute", "50 %");
    if (std::string_view(slow) == "later") set(design.hosts[0], Role::host, "slow.from", "25 s");
    design.jobs[0].recovery =
        component(Role::recovery, "restart", "recovery",
                  {{"detect", "1 s"}, {"replace", "2 s"}, {"start", "3 s"}, {"init", "4 s"}});
    design.failures.push_back(component(Role::failure, kind, "loss", {{"at", "20.1 s"}}));
    return metric(run(design), "job.train.steps");  // those before are lost
  };
  CHECK(steps("host", "always", "1") == Approx(299.0).margin(1.0));
  CHECK(steps("process", "always", "1") == Approx(160.0).margin(1.0));
  CHECK(steps("host", "later", "1") == Approx(299.0).margin(1.0));
  CHECK(steps("host", "always", "2") == Approx(150.0).margin(1.0));  // one of two is left
}

TEST_CASE("ports of a lost straggler are those of the others again") {
  // Synchronous saves through ports of a tenth: the second, after the failure, is as without.
  const auto stall = [](const char* count, const char* kind) {
    Design design = reading("4", "1 MB", {{"slow.count", count}, {"slow.nic", "10 %"}}, "200");
    save(design, "sync", {{"every_steps", "150"}, {"size", "640 GB"}});
    design.jobs[0].recovery = component(Role::recovery, "restart", "recovery", {});
    design.failures.push_back(component(Role::failure, kind, "loss", {{"at", "10 s"}}));
    return metric(run(design), "job.train.checkpoint.stall");
  };
  const double full = stall("0", "host");
  CHECK(stall("1", "host") == Approx(full).epsilon(1e-6));
  CHECK(full < 100.0);
  CHECK(stall("1", "process") > 100.0);  // 160 GB of a host at 1.6 GB/s
}

}  // namespace straggler_test
