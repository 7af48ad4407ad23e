#include "engine/decide/uncertain/discrepancy.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "tests/support/designs.hpp"

namespace discrepancy_test {

using namespace stallcast;
using uncertain::discrepancy_of;

TEST_CASE("a job's own discrepancy takes the place of that of all jobs, by class of figure") {
  Design design = testing::small_design();
  for (const char* metric : {"job.train.first_batch", "job.train.checkpoint.stall",
                             "job.train.step.time", "job.train.time.sync"})
    CHECK(discrepancy_of(metric, design, {}) == discrepancy_of(metric));
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.step", "3 %");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.utilization", "0.04");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.first_batch", "20 %");
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.checkpoint", "5 %");
  CHECK(discrepancy_of("job.train.step.time", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.steady.step.time", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.throughput.samples", design, {}) == Approx(std::log(1.03)));
  CHECK(discrepancy_of("job.train.au", design, {}) == Approx(0.04));
  CHECK(discrepancy_of("job.train.first_batch", design, {}) == Approx(std::log(1.2)));
  CHECK(discrepancy_of("job.train.checkpoint.stall", design, {}) == Approx(std::log(1.05)));
  // Of another job, and of no class.
  CHECK(discrepancy_of("job.other.au", design, {}) == discrepancy_of("job.other.au"));
  CHECK(discrepancy_of("job.train.time.sync", design, {}) == 0.0);
}

TEST_CASE("utilization is known by who reads, and better where probes measured that") {
  Design design = testing::small_design();
  std::vector<Prediction> waits(2);
  waits[1].metrics["job.train.stall.data"] = {0.001, "ratio", std::nullopt};
  waits[1].metrics["job.train.stall.cpu"] = {0.001, "ratio", std::nullopt};
  JobDesign& job = design.jobs[0];
  const auto of_au = [&] { return discrepancy_of("job.train.au", design, waits); };
  const double measured = discrepancy_of("job.train.au");
  job.loader.emplace();
  job.loader->kind = "pytorch";
  CHECK(of_au() == Approx(0.75));
  CHECK(discrepancy_of("job.train.goodput", design, waits) == of_au());
  CHECK(uncertain::probed_discrepancy_of("job.train.au", design, waits) == measured);
  CHECK(discrepancy_of("job.train.au", design, std::span(waits).first(1)) == measured);
  job.loader->kind = "tensorflow";
  CHECK(of_au() == Approx(0.15));
  job.loader->kind = "dali";
  CHECK(of_au() == Approx(0.5));

  job.loader->kind = "pytorch";
  Value& cost = job.loader->values["sending"];
  cost.source = {Source::Kind::profile, "profile:run", "observed runs", false};
  CHECK(of_au() == Approx(0.75));
  cost.source = {Source::Kind::profile, "profile:probes", "fit io.read.random", false};
  CHECK(of_au() == Approx(0.75));
  cost.source = {Source::Kind::profile, "profile:probes", "fit loader.make", false};
  CHECK(of_au() == measured);
  job.loader.reset();
  CHECK(of_au() == measured);
}

TEST_CASE("readers that were observed are off by what runs are, and by half of what changes") {
  Design design = testing::small_design();
  std::vector<Prediction> draws(1);
  draws[0].metrics["job.train.stall.data"] = {0.3, "ratio", std::nullopt};
  draws[0].metrics["job.train.gpu.utilization"] = {0.6, "ratio", std::nullopt};
  JobDesign& job = design.jobs[0];
  job.loader.emplace();
  job.loader->kind = "pytorch";
  const auto of_au = [&](std::vector<double> observed) {
    job.observed_use = std::move(observed);
    return discrepancy_of("job.train.au", design, draws);
  };
  CHECK(of_au({0.6}) == Approx(0.25));
  // ln(0.6 / 0.4) - ln(0.5 / 0.5) = ln(1.5)
  CHECK(of_au({0.5}) == Approx(std::hypot(0.25, std::log(1.5) / 2.0)));
  CHECK(of_au({0.1}) == Approx(0.75));  // never more than of readers that nobody saw
  // Of several runs the nearest, whichever came last.
  CHECK(of_au({0.6, 0.1}) == Approx(0.25));
  CHECK(of_au({0.1, 0.5}) == Approx(std::hypot(0.25, std::log(1.5) / 2.0)));
  job.loader->kind = "tensorflow";
  CHECK(of_au({0.6}) == Approx(0.15));
}

TEST_CASE("only what readers lose of the time is as unsure as they are") {
  Design design = testing::small_design();
  design.jobs[0].loader.emplace();
  design.jobs[0].loader->kind = "pytorch";
  std::vector<Prediction> draws(1);
  draws[0].metrics["job.train.stall.data"] = {0.002, "ratio", std::nullopt};
  draws[0].metrics["job.train.gpu.utilization"] = {0.8, "ratio", std::nullopt};
  draws[0].metrics["job.train.goodput"] = {0.8, "ratio", std::nullopt};
  draws[0].metrics["job.train.au"] = {0.95, "ratio", std::nullopt};
  draws[0].breakdown["train"] = {{"compute", 0.8}, {"data", 0.05}, {"checkpoint", 0.15}};
  const auto of = [&](const char* figure) {
    return discrepancy_of(std::string("job.train.") + figure, design, draws);
  };
  // Waits for data are as unsure as readers are, whatever else is lost.
  CHECK(of("stall.data") == Approx(0.75));
  // A quarter of what is lost is lost to readers.
  CHECK(of("gpu.utilization") == Approx(0.25 + 0.25 * 0.5));
  CHECK(of("goodput") == of("gpu.utilization"));
  CHECK(of("au") == Approx(0.75));
  // What is computed over a utilization is as sure as that.
  CHECK(of("steady.step.time") == Approx(0.375 * 0.2));
  CHECK(of("throughput.samples") == of("steady.step.time"));
  CHECK(of("run.time") == Approx(0.375 * 0.2));
  CHECK(of("run.days") == of("run.time"));
  CHECK(of("step.time") == Approx(0.75 * 0.05));
  // A probe of the loader is worth a word where it changes something.
  const auto probed = [&](const char* figure) {
    return uncertain::probed_discrepancy_of(std::string("job.train.") + figure, design, draws);
  };
  CHECK(probed("au") == Approx(0.25));
  CHECK(probed("run.time") == Approx(0.25 * 0.2));
  draws[0].breakdown["train"] = {{"compute", 0.8}, {"data", 0.001}, {"checkpoint", 0.199}};
  CHECK(probed("gpu.utilization") == of("gpu.utilization"));
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.step", "3 %");
  CHECK(of("steady.step.time") == Approx(std::log(1.03)));
}

TEST_CASE("what follows from a save or from goodput is as unsure as that") {
  Design design = testing::small_design();
  const auto of = [&](const char* figure) {
    return discrepancy_of(std::string("job.train.") + figure, design, {});
  };
  for (const char* figure :
       {"checkpoint.bandwidth", "checkpoint.overhead", "checkpoint.stall.total", "time.checkpoint",
        "restore.bandwidth", "restart.restore.duration", "restart.restore.bandwidth"})
    CHECK(of(figure) == Approx(0.2));
  CHECK(of("goodput.p5") == of("goodput"));
  testing::set(design.jobs[0].job, models::Role::job, "discrepancy.checkpoint", "5 %");
  CHECK(of("checkpoint.bandwidth") == of("checkpoint.stall"));
}

TEST_CASE("the time of a run that the clock ends is known") {
  Design design = testing::small_design();
  testing::set(design.run, models::Role::run, "duration", "60 s");
  std::vector<Prediction> draws(1);
  draws[0].metrics["job.train.gpu.utilization"] = {0.8, "ratio", std::nullopt};
  for (const double wall : {60.5, 40.0}) {
    draws[0].metrics["job.train.time.wall"] = {wall, "s", std::nullopt};
    CHECK((discrepancy_of("job.train.time.wall", design, draws) > 0.0) == (wall < 60.0));
    CHECK(discrepancy_of("job.train.steady.step.time", design, draws) > 0.0);
  }
}

TEST_CASE("what is another figure times a number is as sure as that") {
  Design design = testing::small_design();
  testing::set(design.run, models::Role::run, "duration", "60 s");
  design.jobs[0].loader.emplace();
  design.jobs[0].loader->kind = "pytorch";
  std::vector<Prediction> draws(1);
  const auto set = [&](const char* figure, double value) {
    draws[0].metrics[std::string("job.train.") + figure] = {value, "", std::nullopt};
  };
  const auto of = [&](const char* figure) {
    return discrepancy_of(std::string("job.train.") + figure, design, draws);
  };
  const auto whole_of = [&](const char* figure) {
    return uncertain::whole_of(std::string("job.train.") + figure, design, draws);
  };
  set("stall.data", 0.1), set("gpu.utilization", 0.8);
  set("epoch.begin", 3.0), set("start.once", 60.0);
  draws[0].breakdown["train"] = {{"compute", 0.8}, {"data", 0.1}, {"checkpoint", 0.1}};
  for (const double wall : {60.5, 40.0}) {
    set("time.wall", wall);
    const bool by_clock = wall >= 60.0;
    CHECK(of("lasting.utilization") == of("gpu.utilization"));
    CHECK(of("lasting.useful") == of("goodput"));
    for (const std::string cause : {"data", "cpu", "metadata"})
      CHECK(of(("time." + cause).c_str()) == of(("stall." + cause).c_str()));
    // Of the time of a run by the clock they are shares; what its work ends computes what it does.
    CHECK(whole_of("time.data") == (by_clock ? std::optional(wall) : std::nullopt));
    CHECK(of("time.compute") == (by_clock ? of("gpu.utilization") : 0.0));
    CHECK(of("steps") == (by_clock ? of("throughput.samples") : 0.0));
  }
  CHECK_FALSE(whole_of("stall.data").has_value());
  CHECK(of("epoch.begin") == of("first_batch"));
  // 57 s of the start are a warm-up that is stated.
  CHECK(of("start.once") == Approx(0.05 * of("first_batch")));
}

TEST_CASE("what idle and useful GPUs cost is as sure as how many there are") {
  Design design = testing::small_design();
  testing::set(design.hosts[0], models::Role::host, "price", "300 kUSD");
  std::vector<Prediction> draws(1);
  draws[0].metrics["job.train.gpu.utilization"] = {0.8, "ratio", std::nullopt};
  draws[0].metrics["job.train.goodput"] = {0.6, "ratio", std::nullopt};
  draws[0].metrics["cost.gpu_idle"] =
      draws[0].metrics["cost.per_useful_gpu_hour"] = {1.0, "USD", {}};
  // All GPUs are the job's: what idles is 1 - u, what is useful is goodput.
  const auto at = [](double u, double by) { return 1.0 / (1.0 + (1.0 - u) / u * std::exp(-by)); };
  const double w = discrepancy_of("job.train.gpu.utilization", design, draws);
  REQUIRE(w > 0.0);
  CHECK(discrepancy_of("cost.gpu_idle", design, draws) ==
        Approx(std::log((1.0 - at(0.8, -w)) / (1.0 - at(0.8, w))) / 2.0));
  CHECK(discrepancy_of("cost.per_useful_gpu_hour", design, draws) ==
        Approx(std::log(at(0.6, w) / at(0.6, -w)) / 2.0));
  CHECK(discrepancy_of("cost.capex", design, draws) == 0.0);
  CHECK(discrepancy_of("power.mean", design, draws) == 0.0);  // nobody has said what it draws
  testing::set(design.jobs[0].job, models::Role::job, "accelerators", "1");
  CHECK(discrepancy_of("cost.gpu_idle", design, draws) < 0.1);  // most of them are nobody's
}

}  // namespace discrepancy_test
