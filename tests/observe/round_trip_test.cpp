#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "calibration/observe/observation_json.hpp"
#include "calibration/observe/tally.hpp"
#include "calibration/observed_job/observed_job.hpp"
#include "engine/decide/predict/predict.hpp"
#include "stallcast/scenario.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/recorded.hpp"

/// A job is simulated, what a loop would see of it is written down, and the scenario made of that
/// is simulated again: another storage and other costs inside, the same times outside.
namespace round_trip_test {

using namespace stallcast;
using calibration::CheckedFigure;
using calibration::JobFigure;

namespace {

Design design_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const Scenario scenario = Scenario::read({.file = "truth.json", .text = text, .sets = sets});
  INFO((scenario.ok() ? "" : scenario.failure().message));
  REQUIRE(scenario.ok());
  return scenario.design();
}

Result<Prediction> simulate(const Design& design, int replicas) {
  std::vector<RunResult> runs;
  const int wanted = replicas > 0 ? replicas : 3;
  for (int i = 0; i < wanted; ++i)
    runs.push_back(testing::run(design, static_cast<std::uint64_t>(i + 1)));
  return predict::combine(design, runs);
}

double number(const Component& component, const char* key) {
  const Value* value = component.find(key);
  return value == nullptr ? 0.0 : value->number;
}

template <class Q>
Distribution<Q> once(Q value, std::uint64_t count) {
  return {count, value, value, value, {{0.05, value}, {0.5, value}, {0.95, value}}, {value}};
}

/// Steps, waits and saves as the training loop of each rank times them, and what its workers do.
/// `apart`: it notes when it has computed, before it meets the other ranks.
Observation seen_of(const Design& design, std::uint64_t seed, bool apart = false) {
  const Timeline timeline =
      testing::recorded(design, {.end_s = 1e6, .worst = 64, .most_spans = 10000000}, seed);
  const JobDesign& job = design.jobs.front();
  const double batch = number(*job.loader, "batch"), sample = number(*job.dataset, "sample");
  calibration::SecondsTally duration, wait, compute, first, wall, cpu, saving;
  const auto epochs = static_cast<std::int64_t>(number(job.job, "epochs"));
  const auto steps = static_cast<std::int64_t>(number(job.job, "steps"));
  std::map<std::uint32_t, double> began;
  std::map<std::uint32_t, std::int64_t> done;
  double batches = 0.0, loaded = 0.0, decoded = 0.0, others = 0.0;
  const Timeline::Span* step = nullptr;
  const bool background = job.checkpoint && job.checkpoint->kind == "async";
  for (const Timeline::Span& span : timeline.spans) {
    const Timeline::Track& track = timeline.tracks[span.track];
    const std::string& name = timeline.name(span);
    if (track.kind == "rank" && name == "step") step = &span;
    if (track.kind == "rank" && name == "compute" && step != nullptr) {
      const Seconds waited = Seconds::from(span.begin_s - step->begin_s, unit::s);
      const Seconds whole = Seconds::from(step->end_s - step->begin_s, unit::s);
      duration.add(whole);
      wait.add(waited);
      compute.add(apart ? Seconds::from(span.end_s - span.begin_s, unit::s) : whole - waited);
      others += step->end_s - span.end_s;
      if (done[span.track]++ % steps == 0) first.add(waited);
    }
    if (background ? track.kind == "checkpoint" && name == "save"
                   : track.kind == "rank" && name == "checkpoint")
      saving.add(Seconds::from(span.end_s - span.begin_s, unit::s));
    if (track.kind == "loader" && name == "batch")
      batches += 1.0, loaded += span.end_s - span.begin_s;
    if (track.kind == "loader" && name == "decode") decoded += span.end_s - span.begin_s;
  }
  Observation out;
  out.ranks = static_cast<std::int64_t>(number(design.hosts.front(), "gpus"));
  out.steps.emplace();
  out.steps->count = duration.count();
  out.steps->duration = duration.distribution();
  out.steps->wait = wait.distribution();
  out.steps->compute = compute.distribution();
  out.steps->first_batch = first.distribution();
  out.steps->epochs = static_cast<std::uint64_t>(epochs);
  if (apart) out.figures["step_others_s"] = others / static_cast<double>(duration.count());
  out.loader.emplace();
  out.loader->kind = "pytorch";
  out.loader->workers = static_cast<std::int64_t>(number(*job.loader, "workers"));
  out.loader->prefetch = static_cast<std::int64_t>(number(*job.loader, "prefetch"));
  out.loader->batch = static_cast<std::int64_t>(batch);
  out.loader->persistent = number(*job.loader, "persistent") != 0.0;
  out.loader->sampler = "RandomSampler";
  const auto samples = static_cast<std::uint64_t>(static_cast<double>(duration.count()) * batch);
  out.samples.emplace();
  out.samples->count = samples;
  out.samples->bytes = once(Bytes::from(sample, unit::B), samples);
  out.samples->files = once(Ops::from(1, unit::ops), samples);
  if (batches > 0.0) {
    out.samples->wall = once(Seconds::from(loaded / batches / batch, unit::s), samples);
    out.samples->cpu = once(Seconds::from(decoded / batches / batch, unit::s), samples);
  }
  out.reading.emplace();
  out.reading->operations = out.reading->files = samples;
  out.reading->bytes = Bytes::from(sample * static_cast<double>(samples), unit::B);
  if (job.checkpoint) {
    out.saves.emplace();
    out.saves->duration = saving.distribution();
    // Every rank waits for a save of rank 0.
    out.saves->count = saving.count() / static_cast<std::uint64_t>(background ? 1 : *out.ranks);
    out.saves->duration->count = out.saves->count;
    out.saves->bytes =
        once(Bytes::from(number(*job.checkpoint, "size"), unit::B), out.saves->count);
    out.saves->files = once(Ops::from(1, unit::ops), out.saves->count);
    out.saves->period_steps =
        once(Ops::from(number(*job.checkpoint, "every_steps"), unit::ops), out.saves->count);
    out.saves->asynchronous = background;
    // All that is not serialising is flushing.
    const Seconds serialising =
        Bytes::from(number(*job.checkpoint, "size"), unit::B) / Rate::from(1.5, unit::GBps);
    out.saves->syncs = out.saves->count;
    out.saves->sync_time =
        (out.saves->duration->mean - serialising) * static_cast<double>(out.saves->count);
  }
  out.host.emplace();
  out.host->hosts = 1;
  out.host->cores = static_cast<std::int64_t>(number(design.hosts.front(), "cpu.cores"));
  out.missing = calibration::absent_members(out);
  return out;
}

/// One job; its host, storage, data set and loader are written in.
std::string truth(const std::string& host, const std::string& storage, const std::string& dataset,
                  const std::string& loader, const std::string& more = "",
                  const std::string& epochs = "1") {
  return R"({"id": "truth", "cluster": {"hosts": [{"id": "h", "count": 1, )" + host +
         R"(}]}, "storage": [{"id": "s", "type": "measured", )" + storage +
         R"(, "write": {"latency": "0 s", "rate": "300 MB/s"}}],
         "jobs": [{"id": "j", "hosts": "h", "steps": 300, "epochs": )" +
         epochs + R"(, "step": {"compute": "40 ms", "jitter": "4 %"},
         "dataset": {"on": "s", "format": "raw", "samples": 100000, )" +
         dataset + R"(}, "loader": {"type": "pytorch", "copy": "none", "batch": 8, )" + loader +
         "}" + more + R"(}], "run": {"replicas": 1, "fast_forward": false}})";
}

const char* const kOne = R"("gpus": 1, "cpu": {"cores": 16})";
const char* const kFour = R"("gpus": 4, "cpu": {"cores": 32})";
const char* const kSlow = R"("read": {"latency": "0.5 ms", "rate": "20 MB/s"})";
const char* const kFast = R"("read": {"latency": "0.1 ms", "rate": "2 GB/s"})";
const char* const kSmall = R"("sample": "50 kB", "decode": "1 ms")";
const char* const kLarge = R"("sample": "150 kB", "decode": "1 ms")";
const char* const kHeavy = R"("sample": "100 kB", "decode": "20 ms")";
const char* const kSaves = R"(, "checkpoint": {"to": "s", "every_steps": 50, "size": "200 MB",
  "layout": "rank0", "snapshot": "none", "mode": ")";

// Epochs of 20 steps in place of one of 300, from a storage that is too slow.
Design of_short_epochs(const char* loader, const char* epochs) {
  std::string text = truth(kOne, kSlow, kLarge, loader, "", epochs);
  const std::string steps = R"("steps": 300)";
  text.replace(text.find(steps), steps.size(), R"("steps": 20)");
  return design_of(text);
}

struct Case {
  const char* name;
  std::string text;
  /// Or by what nobody told from it, where no worker loads.
  bool bound_by_storage;
};

std::vector<Case> cases() {
  const std::string none = R"("workers": 0)", two = R"("workers": 2)", four = R"("workers": 4)";
  const std::string saves = kSaves;
  return {{"bound by the storage", truth(kOne, kSlow, kLarge, four), true},
          {"bound by cores", truth(kOne, kFast, kHeavy, two), false},
          {"bound by nothing", truth(kOne, kFast, kSmall, four), false},
          {"no workers", truth(kOne, kFast, kSmall, none), true},
          {"no workers, a slow storage", truth(kOne, kSlow, kLarge, none), true},
          {"saves", truth(kOne, kFast, kSmall, four, saves + "sync\"}"), false},
          {"saves in the background", truth(kOne, kFast, kSmall, four, saves + "async\"}"), false},
          {"two epochs of living workers",
           truth(kOne, kSlow, kLarge, four + R"(, "persistent": true)", "", "2"), true},
          {"two epochs of new workers",
           truth(kOne, kFast, kHeavy, two + R"(, "prefetch": 1)", "", "2"), false},
          {"four ranks that wait", truth(kFour, kSlow, kSmall, two), true},
          {"four ranks that do not", truth(kFour, kFast, kSmall, two), false}};
}

const CheckedFigure* figure_of(const calibration::SelfCheck& check, JobFigure::What what) {
  for (const CheckedFigure& figure : check.figures)
    if (figure.seen.what == what) return &figure;
  return nullptr;
}

}  // namespace

TEST_CASE("the scenario of an observed job has its step time, its first batch and its saves") {
  for (const Case& one : cases()) {
    INFO(one.name);
    const Design design = design_of(one.text);
    const RunResult run = testing::run(design, 7);
    calibration::JobImportOptions options;
    options.simulate = simulate;
    const auto made = calibration::import_job(seen_of(design, 7), options);
    REQUIRE(made.ok());
    REQUIRE(made->check);
    INFO(calibration::print_check(*made->check) << made->scenario);
    // What is written is simulated, by other seeds than the one that was seen.
    const Result<Prediction> again = simulate(design_of(made->scenario), 3);
    REQUIRE(again.ok());
    const auto figure = [&](const char* name) {
      return again->metrics.at(std::string("job.train.") + name).value;
    };
    CHECK(figure("steady.step.time") ==
          Approx(testing::metric(run, "job.j.steady.step.time")).epsilon(0.015));
    CHECK(figure("first_batch") == Approx(testing::metric(run, "job.j.first_batch")).epsilon(0.15));
    CHECK(figure("steady.wait") ==
          Approx(testing::metric(run, "job.j.steady.wait"))
              .margin(0.015 * testing::metric(run, "job.j.steady.step.time")));
    if (design.jobs.front().checkpoint)
      CHECK(figure("checkpoint.duration") ==
            Approx(testing::metric(run, "job.j.checkpoint.duration")).epsilon(0.02));
    // The residual is what the file says predictions of it may be off by.
    const CheckedFigure* step = figure_of(*made->check, JobFigure::What::step);
    REQUIRE(step != nullptr);
    REQUIRE(made->check->discrepancy.step);
    CHECK(*made->check->discrepancy.step >= std::abs(std::log1p(step->off())));
    const bool solved =
        made->scenario.find("The job waited for it, so the waits say") != std::string::npos;
    CHECK(solved == one.bound_by_storage);
  }
}

TEST_CASE(
    "compute that each rank timed by itself is not moved to make steps as long as they were") {
  for (const char* storage : {kSlow, kFast}) {
    const Design design = design_of(truth(kFour, storage, kLarge, R"("workers": 2)"));
    calibration::JobImportOptions options;
    options.simulate = simulate;
    const auto made = calibration::import_job(seen_of(design, 7, true), options);
    REQUIRE(made.ok());
    REQUIRE(made->check);
    INFO(calibration::print_check(*made->check) << made->scenario);
    const Design again = design_of(made->scenario);
    CHECK(number(again.jobs.front().step, "compute") == Approx(0.04).epsilon(0.005));
    CHECK(number(again.jobs.front().step, "jitter") == Approx(0.04).epsilon(0.1));
    const Result<Prediction> p = simulate(again, 3);
    REQUIRE(p.ok());
    CHECK(p->metrics.at("job.train.steady.step.time").value ==
          Approx(testing::metric(testing::run(design, 7), "job.j.steady.step.time")).epsilon(0.02));
    CHECK(made->warnings.empty());
  }
}

TEST_CASE("later epochs that begin as slowly as the first are not charged to the storage") {
  // Ten epochs of 20 steps, each with workers that take 0.4 s to start.
  const Design design = of_short_epochs(R"("workers": 4, "prefetch": 1, "boot": "0.4 s")", "10");
  Observation seen = seen_of(design, 7);
  seen.loader->persistent = true;  // as a file that was not followed says
  seen.samples->wall = seen.samples->cpu = std::nullopt;
  calibration::JobImportOptions options;
  options.simulate = simulate;
  const auto made = calibration::import_job(seen, options);
  REQUIRE(made.ok());
  INFO(calibration::print_check(*made->check) << made->scenario);
  const Design again = design_of(made->scenario);
  CHECK(number(*again.jobs.front().loader, "persistent") == 0.0);
  CHECK(number(again.storage.front(), "read.rate") == Approx(20e6).epsilon(0.05));
  const RunResult run = testing::run(design, 7);
  const Result<Prediction> p = simulate(again, 3);
  REQUIRE(p.ok());
  CHECK(p->metrics.at("job.train.first_batch").value ==
        Approx(testing::metric(run, "job.j.first_batch")).epsilon(0.05));
  CHECK(p->metrics.at("job.train.steady.step.time").value ==
        Approx(testing::metric(run, "job.j.steady.step.time")).epsilon(0.015));
  // Both are in the self-check.
  std::vector<double> firsts;
  for (const CheckedFigure& figure : made->check->figures)
    if (figure.seen.what == JobFigure::What::first_batch) {
      firsts.push_back(figure.seen.value);
      CHECK(std::abs(figure.off()) < 0.1);
    }
  REQUIRE(firsts.size() == 2);
  CHECK(firsts[1] == Approx(firsts[0]).epsilon(0.1));
}

TEST_CASE("workers that live over epochs are slow to begin once") {
  const Design design =
      of_short_epochs(R"("workers": 4, "prefetch": 1, "boot": "2 s", "persistent": true)", "4");
  for (const bool said : {true, false}) {
    Observation seen = seen_of(design, 7);
    if (!said) seen.loader->persistent.reset();
    seen.samples->wall = seen.samples->cpu = std::nullopt;
    calibration::JobImportOptions options;
    options.simulate = simulate;
    const auto made = calibration::import_job(seen, options);
    REQUIRE(made.ok());
    INFO(calibration::print_check(*made->check) << made->scenario);
    const Design again = design_of(made->scenario);
    CHECK(number(*again.jobs.front().loader, "persistent") == 1.0);
    CHECK(number(again.storage.front(), "read.rate") == Approx(20e6).epsilon(0.05));
    CHECK(number(*again.jobs.front().loader, "boot") == Approx(2.0).epsilon(0.1));
  }
}

TEST_CASE("what one number of readers leaves open of a storage is all between two truths") {
  // Reads of 30 ms that nobody shares, and a line of 20 MB/s: alike with the four workers seen.
  const char* const all_share = R"("read": {"latency": "0 s", "rate": "20 MB/s"})";
  const char* const own = R"("read": {"latency": "30 ms", "rate": "10 GB/s"})";
  for (const char* line : {own, all_share}) {
    const std::string text = truth(kOne, line, kLarge, R"("workers": 4)");
    calibration::JobImportOptions options;
    options.simulate = simulate;
    const auto made = calibration::import_job(seen_of(design_of(text), 7), options);
    REQUIRE(made.ok());
    INFO(made->scenario);
    const Value open = design_of(made->scenario).storage.front().values.at("read.private");
    REQUIRE(open.range);
    CHECK(open.range->low == 0.0);
    CHECK(open.range->high == 1.0);
    const auto step = [](const std::string& of, const std::vector<std::string>& sets) {
      const Result<Prediction> p = simulate(design_of(of, sets), 1);
      REQUIRE(p.ok());
      const char* id = p->metrics.contains("job.j.au") ? "j" : "train";
      return p->metrics.at(std::string("job.") + id + ".steady.step.time").value;
    };
    for (const char* workers : {"1", "2", "4", "8"}) {
      INFO(line << ", " << workers << " workers");
      const std::string set = std::string("loader.workers=") + workers;
      const double is = step(text, {"jobs.j." + set});
      const auto at = [&](const char* share) {
        return step(made->scenario,
                    {"jobs.train." + set, std::string("storage.store.read.private=") + share});
      };
      const double all = at("100 %"), none = at("0 %");
      CHECK((line == own ? all : none) == Approx(is).epsilon(0.03));
      if (*workers == '4') CHECK(all == Approx(none).epsilon(0.03));
      if (*workers != '4') CHECK(std::max(all / none, none / all) > 1.3);
    }
  }
}

TEST_CASE(
    "a save that is not flushed stalls for as long as it was seen to, on a slow storage too") {
  const std::string four = R"("workers": 4)";
  const Design design =
      design_of(truth(kOne, kFast, kSmall, four, kSaves + std::string("sync\"}")));
  Observation seen = seen_of(design, 7);
  seen.saves->syncs = 0;
  seen.saves->sync_time = {};
  calibration::JobImportOptions options;
  options.simulate = simulate;
  const auto made = calibration::import_job(seen, options);
  REQUIRE(made.ok());
  INFO(made->scenario);
  std::string slow = made->scenario;
  const std::string all = R"("rate": "1 TB/s")";
  const std::size_t at = slow.find(all);
  REQUIRE(at != std::string::npos);
  // 200 MB at 150 MB/s take 1.3 s, which is less than the 50 steps of 40 ms between two saves.
  slow.replace(at, all.size(), R"("rate": "150 MB/s")");
  const double stall = seen.saves->duration->mean.in(unit::s);
  for (const std::string& text : {made->scenario, slow}) {
    const Result<Prediction> again = simulate(design_of(text), 3);
    REQUIRE(again.ok());
    CHECK(again->metrics.at("job.train.checkpoint.stall").value == Approx(stall).epsilon(0.02));
    CHECK(
        again->metrics.at("job.train.steady.step.time").value ==
        Approx(testing::metric(testing::run(design, 7), "job.j.steady.step.time")).epsilon(0.015));
  }
  // Until it is safe there, it takes the time of the writes as well.
  const Result<Prediction> again = simulate(design_of(slow), 3);
  CHECK(again->metrics.at("job.train.checkpoint.duration").value ==
        Approx(stall + 200.0 / 150.0).epsilon(0.02));
}

TEST_CASE("saves whose bytes were not seen are no part of the steps that are compared") {
  const std::string saves = std::string(kSaves) + "sync\"}";
  Observation seen = seen_of(design_of(truth(kOne, kFast, kSmall, R"("workers": 4)", saves)), 1);
  seen.saves->bytes.reset();
  calibration::JobImportOptions options;
  options.simulate = simulate;
  const auto made = calibration::import_job(seen, options);
  REQUIRE(made.ok());
  CHECK(std::abs(figure_of(*made->check, JobFigure::What::step)->off()) < 0.015);
  REQUIRE(made->warnings.size() == 1);
  CHECK(made->warnings.front().find(" are left out, and no part of the steps") !=
        std::string::npos);
}

}  // namespace round_trip_test
