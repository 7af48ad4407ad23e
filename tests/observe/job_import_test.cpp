#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "calibration/observe/job_figures.hpp"
#include "calibration/observe/observation_json.hpp"
#include "calibration/observe/slowest_of.hpp"
#include "calibration/observe/tally.hpp"
#include "calibration/observed_job/commented_json.hpp"
#include "calibration/observed_job/observed_job.hpp"
#include "engine/base/jsonc.hpp"

/// What an observation becomes, without a simulation, and what is said of files that hold no job.
namespace job_import_test {

using namespace stallcast;
using calibration::merged;
using scenarios::FieldFate;

namespace {

Distribution<Seconds> times(const std::vector<double>& seconds) {
  calibration::SecondsTally tally;
  for (const double s : seconds) tally.add(Seconds::from(s, unit::s));
  return *tally.distribution();
}

Distribution<Bytes> sizes(double bytes, std::uint64_t count) {
  const Bytes one = Bytes::from(bytes, unit::B);
  return {count, one, one, one, {}, {one}};
}

/// 100 steps of 100 ms, 10 ms of which are waits, and two epochs of 50 steps of 4 samples.
Observation small_job() {
  Observation out;
  out.ranks = 1;
  out.steps.emplace();
  out.steps->count = 100;
  out.steps->duration = times(std::vector<double>(100, 0.1));
  out.steps->wait = times(std::vector<double>(100, 0.01));
  out.steps->compute = times(std::vector<double>(100, 0.09));
  out.steps->epochs = 2;
  out.loader.emplace();
  out.loader->batch = 4;
  out.loader->workers = 2;
  out.samples.emplace();
  out.samples->count = 400;
  out.samples->wall = times({0.02});
  out.samples->cpu = times({0.004});
  out.samples->bytes = sizes(1e5, 400);
  out.reading.emplace();
  out.reading->operations = 800;
  out.reading->bytes = Bytes::from(400 * 1e5, unit::B);
  out.reading->files = 200;
  return out;
}

base::Json scenario_of(const Observation& observation) {
  const auto made = calibration::import_job(observation, {});
  REQUIRE(made.ok());
  Diagnostics faults;
  base::JsonDocument document = base::parse_jsonc(made->scenario, "made", faults);
  REQUIRE_FALSE(faults.has_errors());
  return document.root;
}

std::string target_of(const Observation& observation, FieldFate fate, const std::string& source) {
  const auto made = calibration::import_job(observation, {});
  REQUIRE(made.ok());
  for (const scenarios::FieldNote& note : made->fields)
    if (note.fate == fate && note.source == source) return note.target;
  return "";
}

std::vector<Diagnostic> faults_of(const std::string& text) {
  Diagnostics faults;
  CHECK_FALSE(calibration::read_job(text, "job.json", faults));
  return faults.items();
}

}  // namespace

TEST_CASE("members of an observation become fields") {
  const base::Json made = scenario_of(small_job());
  const base::Json& job = made["jobs"][0];
  CHECK(job["epochs"] == 2);
  CHECK(job["steps"] == 50);
  CHECK(job["step"]["compute"] == "90 ms");
  CHECK(job["loader"]["workers"] == 2);
  CHECK(job["dataset"]["sample"] == "100 kB");
  CHECK(job["dataset"]["decode"] == "4 ms");
  CHECK(job["dataset"]["format"] == "raw");
  CHECK(job["dataset"]["samples"] == 200);
  // 800 reads of 400 samples.
  CHECK(made["storage"][0]["request"] == "50005 B");
  CHECK_FALSE(job.contains("checkpoint"));
}

TEST_CASE("what an observation lacks keeps its default and is listed with its range") {
  const Observation job = small_job();
  CHECK(target_of(job, FieldFate::defaulted, "host.cores") == "cluster.hosts.node.cpu.cores");
  CHECK(target_of(job, FieldFate::defaulted, "loader.prefetch") == "jobs.train.loader.prefetch");
  CHECK(target_of(job, FieldFate::mapped, "loader.workers") == "jobs.train.loader.workers = 2");
  Observation less = job;
  less.loader->workers.reset();
  CHECK(target_of(less, FieldFate::defaulted, "loader.workers") == "jobs.train.loader.workers");
}

TEST_CASE("reads that the page cache answered are modelled and said") {
  Observation job = small_job();
  const Bytes all = job.reading->bytes;
  job.reading->from_device = Bytes{};
  base::Json cache = scenario_of(job)["jobs"][0]["dataset"]["cache"];
  CHECK(cache["policy"] == "random");
  CHECK(cache["warm"] == true);
  // One of two epochs came from the device: the first.
  job.reading->from_device = all / 2.0;
  cache = scenario_of(job)["jobs"][0]["dataset"]["cache"];
  CHECK(cache["policy"] == "random");
  CHECK_FALSE(cache.contains("warm"));
  // A fifth: 200 samples of 100 kB, of which 16 MB are found.
  job.reading->from_device = all / 5.0;
  cache = scenario_of(job)["jobs"][0]["dataset"]["cache"];
  CHECK(cache["policy"] == "pinned");
  CHECK(cache["size"] == "16 MB");
  const auto made = calibration::import_job(job, {});
  CHECK(made->scenario.find("80.0 % of the bytes came from the page cache") != std::string::npos);
  job.reading->from_device = all;
  CHECK(scenario_of(job)["jobs"][0]["dataset"]["cache"]["policy"] == "none");
}

TEST_CASE("less of a large file than all of it is not kept") {
  Observation job = small_job();
  job.samples->files = Distribution<Ops>{400, {}, {}, {}, {}, {Ops{}}};
  job.reading->files = 1;
  job.files.emplace();
  job.files->count = 1;
  job.files->extent = sizes(20e6, 1);
  job.reading->from_device = job.reading->bytes * 0.7;
  const base::Json made = scenario_of(job);
  CHECK(made["jobs"][0]["dataset"]["cache"]["policy"] == "none");
}

TEST_CASE("a sample that no lognormal makes is said to be none") {
  Observation job = small_job();
  std::vector<double> steps(95, 0.09);
  steps.insert(steps.end(), 5, 0.9);
  job.steps->compute = times(steps);
  const auto made = calibration::import_job(job, {});
  REQUIRE(made.ok());
  CHECK(made->scenario.find("lognormal") != std::string::npos);
  CHECK(calibration::import_job(small_job(), {})->scenario.find("lognormal") == std::string::npos);
}

TEST_CASE("saves within steps are taken out of compute") {
  Observation job = small_job();
  // Every tenth step has a save of 1 s in it.
  std::vector<double> compute(100, 0.09), whole(100, 0.1);
  for (std::size_t i = 9; i < 100; i += 10) compute[i] += 1.0, whole[i] += 1.0;
  job.steps->compute = times(compute);
  job.steps->duration = times(whole);
  job.saves.emplace();
  job.saves->count = 10;
  job.saves->duration = times(std::vector<double>(10, 1.0));
  job.saves->bytes = sizes(1e8, 10);
  const calibration::JobFacts facts = calibration::facts_of(job);
  CHECK(facts.compute.mean == Approx(0.09));
  CHECK(facts.saving.in(unit::s) == Approx(0.1));
  CHECK(facts.step.in(unit::s) == Approx(0.2));
  REQUIRE(facts.saves);
  CHECK(facts.saves->every_steps == 10);
}

TEST_CASE("a first step in which kernels are chosen is a warm-up") {
  Observation job = small_job();
  std::vector<double> compute(100, 0.09), whole(100, 0.1);
  compute[0] += 3.0, whole[0] += 3.0;
  job.steps->compute = times(compute);
  job.steps->duration = times(whole);
  job.figures["first_step_compute_s"] = compute[0];
  const calibration::JobFacts facts = calibration::facts_of(job);
  CHECK(facts.compute.mean == Approx(0.09));
  CHECK(facts.compute.deviation == Approx(0.0).margin(1e-12));
  CHECK(facts.warm_up.in(unit::s) == Approx(3.0));
  CHECK(facts.step.in(unit::s) == Approx(0.1));
  const base::Json step = scenario_of(job)["jobs"][0]["step"];
  CHECK(step["compute"] == "90 ms");
  CHECK(step["warm_up"] == "3 s");
  // Of a GPU the first step is known apart: its others are all there are.
  job.steps->gpu = times(std::vector<double>(99, 0.095));
  CHECK(calibration::facts_of(job).compute.mean == Approx(0.095));
  CHECK(calibration::facts_of(job).warm_up.in(unit::s) == Approx(3.0));
  job.steps->gpu.reset();
  // A first step like others is none, and nobody guesses which was the first.
  job.figures["first_step_compute_s"] = 0.12;
  CHECK(calibration::facts_of(job).warm_up == Seconds{});
  job.figures.erase("first_step_compute_s");
  CHECK(calibration::facts_of(job).warm_up == Seconds{});
  CHECK(calibration::facts_of(job).compute.mean == Approx(0.12));
}

TEST_CASE(
    "a job whose steps drift is known less well than one whose steps vary as much by chance") {
  // 100 steps of 80 or 100 ms, as many of each: one kind after the other, or by chance.
  Observation job = small_job();
  std::vector<double> drifting(100, 0.08);
  for (std::size_t i = 0; i < 50; ++i) drifting[50 + i] = 0.1;
  std::vector<double> mixed = drifting;
  std::mt19937 random(7);
  double by_chance = 0.0;
  for (int i = 0; i < 50; ++i) {
    std::shuffle(mixed.begin(), mixed.end(), random);
    job.steps->compute = times(mixed);
    const double error = calibration::facts_of(job).step_error;
    CHECK(error > 0.99 * 1.645 * 0.01005 / 0.1 / 10.0);  // the standard error of independent steps
    by_chance += error / 50.0;
  }
  CHECK(by_chance < 1.5 * 1.645 * 0.01005 / 0.1 / 10.0);
  job.steps->compute = times(drifting);
  const double drifted = calibration::facts_of(job).step_error;
  // Parts of 12 steps: four of 80 ms, one of 96.67 and three of 100, which deviate by 10.30
  // of 89.58.
  CHECK(drifted == Approx(1.645 * 10.303 / 89.583).epsilon(0.02));
}

TEST_CASE("a step computes for as long as its GPU works, though Python waits for data meanwhile") {
  Observation job = small_job();
  // Python launches for 5 ms and waits for 95; the GPU works for 60 of these.
  job.steps->compute = times(std::vector<double>(100, 0.005));
  job.steps->wait = times(std::vector<double>(100, 0.095));
  job.steps->gpu = times(std::vector<double>(100, 0.060));
  const calibration::JobFacts facts = calibration::facts_of(job);
  CHECK(facts.compute.mean == Approx(0.060));
  CHECK(facts.wait.in(unit::s) == Approx(0.040));
  CHECK(facts.usual_wait.in(unit::s) == Approx(0.040));
  CHECK(facts.step.in(unit::s) == Approx(0.1));
  CHECK(scenario_of(job)["jobs"][0]["step"]["compute"] == "60 ms");
  // Where Python waits for the GPU its own time is the longer.
  job.steps->gpu = times(std::vector<double>(100, 0.004));
  CHECK(calibration::facts_of(job).compute.mean == Approx(0.005));
  // A GPU that is behind does not make the step longer than it was.
  job.steps->gpu = times(std::vector<double>(100, 0.110));
  CHECK(calibration::facts_of(job).step.in(unit::s) == Approx(0.1));
  CHECK(calibration::facts_of(job).wait == Seconds{});
}

TEST_CASE("a job whose reads were not seen computes, and its waits are part of that") {
  Observation job = small_job();
  job.loader.reset();
  job.samples.reset();
  job.reading.reset();
  const base::Json made = scenario_of(job);
  CHECK(made["jobs"][0]["step"]["compute"] == "100 ms");
  CHECK_FALSE(made["jobs"][0].contains("dataset"));
  CHECK_FALSE(made.contains("storage"));
}

TEST_CASE("steps of several batches have one of their sum, and making it up costs core time") {
  Observation job = small_job();
  job.loader->batch_bytes = sizes(2e6, 10);
  job.figures = {{"step_batches", 2.0}, {"collate_cpu_s", 0.001}, {"dataset_samples", 5000.0}};
  const base::Json made = scenario_of(job)["jobs"][0];
  CHECK(made["loader"]["batch"] == 8);
  CHECK(made["loader"]["collate"] == "2 GB/s");
  CHECK(made["dataset"]["tensor"] == "500 kB");
  CHECK(made["dataset"]["samples"] == 5000);
}

TEST_CASE("a job of one step is compared by that step") {
  Observation job = small_job();
  CHECK(calibration::figures_of(calibration::facts_of(job), "j")[0].metric ==
        "job.j.steady.step.time");
  job.steps->count = 1;
  job.steps->epochs = 1;
  const auto figures = calibration::figures_of(calibration::facts_of(job), "j");
  CHECK(figures.size() == 1);
  CHECK(figures[0].metric == "job.j.step.time");
}

TEST_CASE("waits for first batches, and a few others, do not say what a storage delivers") {
  // Four epochs of 21 steps of 1.4 s that begin with 3 s; of the others two of 80 wait for 0.7 s.
  Observation job = small_job();
  std::vector<double> waits(84, 0.004);
  for (const std::size_t i : {0, 21, 42, 63}) waits[i] = 3.0;
  waits[50] = waits[70] = 0.7;
  job.steps->count = 84;
  job.steps->epochs = 4;
  job.steps->wait = times(waits);
  job.steps->compute = times(std::vector<double>(84, 1.37));
  job.steps->first_batch = times(std::vector<double>(4, 3.0));
  job.samples->wall = job.samples->cpu = std::nullopt;
  job.reading.reset();
  const calibration::JobFacts facts = calibration::facts_of(job);
  CHECK(facts.wait.in(unit::s) == Approx((9.0 + 1.4 + 78 * 0.004) / 83));
  CHECK(facts.between.in(unit::s) == Approx((1.4 + 78 * 0.004) / 80));
  const base::Json made = scenario_of(job);
  CHECK(made["storage"][0]["read"]["rate"]["why"] == "the job did not wait for it");
  CHECK(made["jobs"][0]["loader"]["handover"] == "21.4 ms");
  // Waits of all steps do.
  for (double& wait : waits) wait = std::max(wait, 0.2);
  job.steps->wait = times(waits);
  CHECK(scenario_of(job)["storage"][0]["read"]["rate"].is_string());
}

TEST_CASE("ranks whose files are missing shorten no job") {
  // Two epochs of 50 steps of four ranks, one of which is not there.
  Observation job = small_job();
  job.ranks = 4;
  job.steps->count = 300;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    ObservedProcess& process = job.processes.emplace_back();
    process.rank = rank;
    process.steps = 100;
  }
  const calibration::JobFacts facts = calibration::facts_of(job);
  CHECK(facts.steps == 50);
  CHECK(facts.ranks == 4);
  CHECK(calibration::import_job(job, {})->scenario.find("steps of 3 of 4 ranks were seen") !=
        std::string::npos);
}

TEST_CASE("one of ranks that meet is found from the slowest of them") {
  std::mt19937_64 random(1);
  for (const double ranks : {2.0, 8.0, 64.0}) {
    const double mean = 0.1, variation = 0.05;
    const double sigma = std::sqrt(std::log1p(variation * variation));
    std::lognormal_distribution<double> one(std::log(mean) - sigma * sigma / 2.0, sigma);
    double sum = 0.0, squares = 0.0;
    constexpr int kSteps = 20000;
    for (int i = 0; i < kSteps; ++i) {
      double slowest = 0.0;
      for (int r = 0; r < static_cast<int>(ranks); ++r) slowest = std::max(slowest, one(random));
      sum += slowest;
      squares += slowest * slowest;
    }
    const double seen = sum / kSteps;
    const double spread = std::sqrt(squares / kSteps - seen * seen) / seen;
    const calibration::OneOfMany found = calibration::one_of_slowest(seen, spread, ranks);
    CHECK(found.mean == Approx(mean).epsilon(0.01));
    CHECK(found.variation == Approx(variation).epsilon(0.06));
  }
}

TEST_CASE("observations of ranks add up") {
  Observation first = small_job(), second = small_job();
  first.ranks = second.ranks = 2;
  second.steps->compute = times(std::vector<double>(300, 0.19));
  const Observation both = merged({first, second});
  CHECK(both.ranks == 2);
  CHECK(both.steps->count == 200);
  CHECK(both.samples->count == 800);
  CHECK(both.reading->files == 400);
  CHECK(both.steps->compute->count == 400);
  CHECK(both.steps->compute->mean.in(unit::s) == Approx(0.165));
  CHECK(both.steps->compute->quantiles.at(0.05).in(unit::s) == Approx(0.09));
  CHECK(both.steps->compute->quantiles.at(0.5).in(unit::s) == Approx(0.19));
  CHECK(merged({first}) == first);
}

TEST_CASE("comments stand above what they are about and are left out when read") {
  const base::Json json = {{"a", {{"b", 1}, {"c", {1, 2}}}}, {"d", "text"}};
  const std::string text = calibration::commented_json(json, {{"", "head"}, {"/a/b", "one\ntwo"}});
  CHECK(text ==
        "// head\n{\n  \"a\": {\n    // one\n    // two\n    \"b\": 1,\n    \"c\": [ 1, 2 ]\n  },\n"
        "  \"d\": \"text\"\n}\n");
  Diagnostics faults;
  CHECK(base::parse_jsonc(text, "x", faults).root == json);
}

TEST_CASE("files that hold no job are refused with place and hint") {
  const std::vector<Diagnostic> empty = faults_of("");
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].position.line == 1);
  const std::vector<Diagnostic> other = faults_of(R"({"schema": "stallcast.measurements/1"})");
  REQUIRE_FALSE(other.empty());
  CHECK(other[0].message.find("stallcast.observation/1") +
            other[0].hint.find("stallcast.observation/1") !=
        2 * std::string::npos);
  const std::vector<Diagnostic> none =
      faults_of("{\"schema\": \"stallcast.observation/1\",\n \"source\": {}}");
  REQUIRE(none.size() == 1);
  CHECK(none[0].pointer == "/steps");
  CHECK(none[0].position.file == "job.json");
  CHECK(none[0].position.line == 1);
  CHECK(none[0].message == "the observation has no steps, so there is no job to write");
  CHECK(none[0].hint.find("stallcast observe") != std::string::npos);
  const std::vector<Diagnostic> timeless =
      faults_of("{\"schema\": \"stallcast.observation/1\",\n \"steps\": {\"count\": 5}}");
  REQUIRE(timeless.size() == 1);
  CHECK(timeless[0].position.line == 2);
  CHECK(timeless[0].message == "the observation has steps without their times");
}

}  // namespace job_import_test
