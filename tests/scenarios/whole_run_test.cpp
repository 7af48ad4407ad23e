#include "models/bounds/whole_run.hpp"

#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

/// When a job is finished: docs/models/whole-run.md.
namespace whole_run_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

struct Job {
  int hosts = 128;
  std::string model = R"({ "parameters": "175B" })";
  std::string step = R"({ "type": "flops", "mfu": "40 %", "tokens": 4096 })";
  std::string run{};   // of "run"
  std::string more{};  // of the job
  std::string host{};  // of the host class
};

Scenario load(const Job& job) {
  return load_with({}, "",
                   (R"({ "id": "whole",
    "cluster": { "hosts": [ { "id": "gpu", "count": )" +
                    std::to_string(job.hosts) + R"(, "gpus": 8, "gpu": { "peak": "312 TFLOP/s" })" +
                    job.host + R"( } ] },
    "storage": [ { "id": "store", "type": "lustre", "ost": { "count": 8 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "model": )" +
                    job.model + R"(, "step": )" + job.step + R"(, "run": { )" + job.run + " }" +
                    job.more + R"( } ], "run": { "duration": "1 h" } })")
                       .c_str());
}

models::WholeRun run_of(const Job& job) {
  const std::vector<models::WholeRun> found = models::whole_runs(design_of(load(job)));
  REQUIRE(found.size() == 1);
  return found[0];
}

/// Days at this goodput.
double days(const Job& job, double goodput) {
  return run_of(job).time(goodput).in(unit::s) / 86400.0;
}

}  // namespace

TEST_CASE("steps of a whole run follow from tokens, epochs or are given") {
  CHECK(run_of({.run = R"("steps": 1000)"}).steps == 1000.0);
  // 1024 GPUs x 4096 tokens
  CHECK(run_of({.run = R"("tokens": "300B")"}).steps == Approx(300e9 / (1024 * 4096.0)));
  CHECK(run_of({.run = R"("tokens_per_parameter": 20)"}).steps ==
        Approx(20 * 175e9 / (1024 * 4096.0)));
  CHECK(run_of({.step = R"({ "compute": "2 s" })",
                .run = R"("tokens": "300B", "tokens_per_step": "3M")"})
            .steps == Approx(1e5));
  // 1 TB of 1 MB by 1024 ranks with batches of 4: 244 steps, what is left is dropped
  CHECK(run_of({.step = R"({ "compute": "2 s" })",
                .run = R"("epochs": 3)",
                .more = R"(, "dataset": { "on": "store", "format": "raw", "sample": "1 MB",
                                          "size": "1 TB" }, "loader": { "batch": 4 })"})
            .steps == Approx(3 * 244.0));
}

TEST_CASE("what is missing of a whole run, or said twice, is a fault") {
  const auto fault = [](const Job& job) { return load(job).diagnostics().items().front().message; };
  CHECK_THAT(fault({.run = R"("steps": 1000, "tokens": "300B")"}), Contains("more than one"));
  CHECK(load({.run = R"("steps": 1000, "epochs": 3)"}).diagnostics().items().front().hint ==
        "keep the one that says when it ends");
  CHECK_THAT(fault({.step = R"({ "compute": "2 s" })", .run = R"("tokens": "300B")"}),
             Contains("tokens_per_step"));
  CHECK_THAT(fault({.run = R"("epochs": 2)"}), Contains("how many steps"));
  CHECK_THAT(fault({.model = "{}",
                    .step = R"({ "compute": "2 s" })",
                    .run = R"("tokens_per_parameter": 20, "tokens_per_step": "3M")"}),
             Contains("parameters"));
}

TEST_CASE("a whole run takes as much longer as GPU time is not useful, and costs that long") {
  const Design design =
      design_of(load({.run = R"("steps": 1000)", .host = R"(, "rent": "24 USD/h")"}));
  std::map<std::string, Metric> metrics{{"job.train.goodput", {0.8, "ratio", {}}},
                                        {"job.train.gpu.utilization", {0.9, "ratio", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  const double step = 6.0 * 175e9 * 4096 / (312e12 * 0.4);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step / 0.8));
  CHECK(metrics.at("job.train.run.days").value == Approx(1000 * step / 0.8 / 86400.0));
  CHECK(metrics.at("job.train.run.days").unit == "d");
  CHECK(metrics.at("job.train.run.cost").value == Approx(128 * 24.0 * 1000 * step / 0.8 / 3600.0));
  // Where what failures cost is not known, how busy its GPUs are does not tell it.
  metrics = {{"job.train.gpu.utilization", {0.9, "ratio", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  CHECK_FALSE(metrics.contains("job.train.run.time"));
  CHECK_FALSE(metrics.contains("job.train.run.cost"));
}

TEST_CASE("a failure with a date is lost once of a whole run") {
  const Design design = design_of(load({.run = R"("steps": 1000)"}));
  // An hour, of which 900 s are lost to it; of the rest 80 % are useful.
  std::map<std::string, Metric> metrics{{"job.train.goodput", {0.8 * 2700.0 / 3600.0, "ratio", {}}},
                                        {"job.train.time.wall", {3600.0, "s", {}}},
                                        {"job.train.time.restart", {900.0, "s", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  const double step = 6.0 * 175e9 * 4096 / (312e12 * 0.4);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step / 0.8 + 900.0));
}

TEST_CASE("epochs that fill caches come once in a whole run") {
  const Design design = design_of(load({.run = R"("steps": 1000)"}));
  // 500 s of which the first 100 were waited for what caches did not have yet.
  std::map<std::string, Metric> metrics{{"job.train.goodput", {0.8 * 400.0 / 500.0, "ratio", {}}},
                                        {"job.train.time.wall", {500.0, "s", {}}},
                                        {"job.train.epoch.cold", {100.0, "s", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  const double step = 6.0 * 175e9 * 4096 / (312e12 * 0.4);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step / 0.8 + 100.0));
}

TEST_CASE("its start comes once in a whole run, and months leave it out") {
  const Design design = design_of(load({.run = R"("steps": 1000)"}));
  // 500 s of which 100 were waited for a stage or warmed up; of the rest 80 % are useful.
  std::map<std::string, Metric> metrics{{"job.train.goodput", {0.8 * 400.0 / 500.0, "ratio", {}}},
                                        {"job.train.time.wall", {500.0, "s", {}}},
                                        {"job.train.start.once", {100.0, "s", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  const double step = 6.0 * 175e9 * 4096 / (312e12 * 0.4);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step / 0.8 + 100.0));
  // Half of what months keep of the 80 %
  metrics["job.train.goodput"].value = metrics["job.train.goodput.p5"].value = 0.4;
  models::add_whole_runs(design, models::costs(design), metrics);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step / 0.4 + 100.0));
}

TEST_CASE("what a run is short of in saves is missing once of a whole run") {
  const Design design = design_of(load({.run = R"("steps": 1000)"}));
  // 400 s of work and 4 saves of 25 s in 500 s, where a longer run has 5 of them.
  std::map<std::string, Metric> metrics{{"job.train.goodput", {0.8, "ratio", {}}},
                                        {"job.train.time.wall", {500.0, "s", {}}},
                                        {"job.train.checkpoint.owed", {25.0, "s", {}}}};
  models::add_whole_runs(design, models::costs(design), metrics);
  const double step = 6.0 * 175e9 * 4096 / (312e12 * 0.4);
  CHECK(metrics.at("job.train.run.time").value == Approx(1000 * step * 525.0 / 400.0 - 25.0));
}

// Published figures against the equation: docs/models/whole-run.md, "Checked".
TEST_CASE("published trainings take as long as their tokens, FLOPs and GPUs say") {
  // Megatron-LM (2021): 175B, 300B tokens on 1024 A100 at 140 TFLOP/s with recomputation, which is
  // 8 N D: 105 of 6 N D. "34 days".
  CHECK(days({.step = R"({ "type": "flops", "mfu": "33.65 %", "tokens": 3072 })",
              .run = R"("tokens": "300B")"},
             1.0) == Approx(34.0).epsilon(0.01));
  // BLOOM (2022): 176B, 366B tokens on 384 A100 at 150 TFLOP/s with recomputation; 1,082,990
  // GPU-hours are 117.5 days, of which failures, restarts and evaluation are not in the equation.
  CHECK(days({.hosts = 48,
              .model = R"({ "parameters": "176B" })",
              .step = R"({ "type": "flops", "mfu": "36.06 %", "tokens": 10923 })",
              .run = R"("tokens": "366B")"},
             1.0) == Approx(117.5).epsilon(0.15));
}

}  // namespace whole_run_test
