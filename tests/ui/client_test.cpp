#include "stallcast/client.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "ui/app/content.hpp"

namespace client_test {

using namespace stallcast;

namespace {

// 32 GPUs read 4 samples of 8 MiB every 100 ms: 10.74 GB/s at full utilization. Of `osts` OSTs each
// gives 1 GB/s, and nothing else of the system limits.
ScenarioFile scenario(int osts, const char* expect = "") {
  return {
      .file = "scenario.json",
      .text = R"({
  "id": "client",
  "cluster": {
    "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ],
    "fabric": { "use": "fabric/ndr400-rail-optimized" }
  },
  "storage": [ { "id": "scratch", "type": "lustre",
                 "ost": { "count": )" +
              std::to_string(osts) + R"(, "read": "1 GB/s", "write": "1 GB/s" },
                 "oss": { "count": 4, "nic": "400 Gb/s" }, "mdt": { "count": 2 } } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu", "model": { "use": "model/llama3-70b" }, "step": { "compute": "100 ms" },
    "dataset": { "on": "scratch", "format": "raw", "sample": "8 MiB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4, "batch": 4 }
  } ],
  "run": { "duration": "20 s" })" +
              std::string(*expect != '\0' ? ", \"expect\": [ { \"id\": \"au\", \"that\": \"" : "") +
              expect + (*expect != '\0' ? "\" } ]" : "") + " }"};
}

client::Settings settings() { return {.jobs = 2, .worker = STALLCAST_SIM_PATH}; }

Scenario read(const client::Session& session, const ScenarioFile& file) {
  client::Reading reading = session.read(file);
  for (const Diagnostic& d : reading.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE(reading.scenario.has_value());
  return *std::move(reading.scenario);
}

Design design_of(const client::Session& session, const ScenarioFile& file) {
  return read(session, file).design();
}

constexpr const char* kUtilization = "job.train.gpu.utilization";

}  // namespace

TEST_CASE("an estimate is marked as one, is the bound, and no simulation exceeds it") {
  client::Session session(settings());
  const Design design = design_of(session, scenario(4));
  const Prediction estimate = session.estimate(design);
  CHECK(estimate.method == "estimate");
  CHECK(estimate.seeds.empty());
  // 4 OSTs x 1 GB/s over 32 GPUs x 4 x 8 MiB / 100 ms
  const double fluid = 4e9 / (32 * 4 * 8 * 1048576 / 0.1);
  CHECK(estimate.metrics.at(kUtilization).value <= fluid);
  CHECK(estimate.metrics.at(kUtilization).value > 0.97 * fluid);  // files fall unevenly on OSTs
  REQUIRE(estimate.bottlenecks.size() == 1);
  CHECK(estimate.bottlenecks[0].resource.find("storage.scratch.ost") == 0);

  const Result<Prediction> prediction = session.predict(design);
  REQUIRE(prediction.ok());
  CHECK(prediction->method == "simulation");
  CHECK(prediction->design_sha256 == estimate.design_sha256);
  CHECK(prediction->metrics.at(kUtilization).value <= estimate.metrics.at(kUtilization).value);
}

TEST_CASE("a bound refutes what exceeds it, and proves only what it keeps") {
  client::Session session(settings());
  const auto verdict = [&](const char* expect) {
    return session.estimate(design_of(session, scenario(4, expect))).verdict;
  };
  CHECK(verdict("job.train.gpu.utilization >= 50 %") == Verdict::fail);
  CHECK(verdict("job.train.gpu.utilization > 50 %") == Verdict::fail);
  CHECK(verdict("job.train.gpu.utilization >= 20 %") == Verdict::inconclusive);
  CHECK(verdict("job.train.gpu.utilization <= 50 %") == Verdict::pass);
  CHECK(verdict("job.train.gpu.utilization < 20 %") == Verdict::inconclusive);
  CHECK(verdict("job.train.stall.data < 20 %") == Verdict::inconclusive);
  CHECK(verdict("") == Verdict::none);
}

TEST_CASE("an estimate knows what is bought, and decides assertions on it") {
  client::Session session(settings());
  const auto estimate = [&](const char* expect) {
    Design design = design_of(session, scenario(4, expect));
    design.storage[0].values["ost.price"] = {
        .dimension = Dimension::money, .number = 20e3, .text = {}, .list = {}, .source = {}};
    return session.estimate(design);
  };
  // 4 OSTs x 20,000 USD
  const Prediction prediction = estimate("");
  CHECK(prediction.metrics.at("cost.capex").value == 80e3);
  CHECK_FALSE(prediction.metrics.contains("cost.gpu_idle"));  // its hosts have no price
  REQUIRE(prediction.warnings.size() == 1);
  CHECK(prediction.warnings[0].starts_with("no price for host.gpu, fabric"));
  CHECK(estimate("cost.capex <= 80 kUSD").verdict == Verdict::pass);
  CHECK(estimate("cost.capex < 80 kUSD").verdict == Verdict::fail);
  CHECK(estimate("cost.capex == 80 kUSD").verdict == Verdict::pass);
  CHECK(estimate("cost.capex >= 81 kUSD").verdict == Verdict::fail);
}

TEST_CASE("a changed design is predicted as by a session of its own, a known one the same again") {
  client::Session warm(settings());
  for (const int osts : {4, 8, 16, 4}) {
    const auto by_warm = warm.predict(design_of(warm, scenario(osts)));
    client::Session own(settings());
    const auto by_own = own.predict(design_of(own, scenario(osts)));
    REQUIRE(by_warm.ok());
    REQUIRE(by_own.ok());
    CHECK(by_warm->metrics.at(kUtilization).value == by_own->metrics.at(kUtilization).value);
    CHECK(by_warm->events == by_own->events);
    CHECK(by_warm->verdict == by_own->verdict);
  }
}

TEST_CASE("a known simulation is judged by the assertions asked now") {
  client::Session session(settings());
  const auto verdict = [&](const char* expect) {
    return session.predict(design_of(session, scenario(4, expect)))->verdict;
  };
  CHECK(verdict("job.train.gpu.utilization >= 1 %") == Verdict::pass);
  CHECK(verdict("job.train.gpu.utilization >= 99 %") == Verdict::fail);
  CHECK(verdict("job.train.gpu.utilization >= 1 %") == Verdict::pass);
}

TEST_CASE("several designs are predicted in their order") {
  client::Session session(settings());
  std::vector<Design> designs;
  for (const int osts : {2, 4, 8}) designs.push_back(design_of(session, scenario(osts)));
  const auto predictions = session.predict_all(designs);
  REQUIRE(predictions.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(predictions[i].ok());
    if (i > 0)
      CHECK(predictions[i]->metrics.at(kUtilization).value >
            predictions[i - 1]->metrics.at(kUtilization).value);
  }
}

TEST_CASE("all faults of a scenario are said with their place, assertions included") {
  const client::Session session(settings());
  ScenarioFile source = scenario(4, "job.train.gpu.utilization about 3");
  source.sets = {"jobs.train.loader.workrs=3"};
  const client::Reading reading = session.read(source);
  CHECK_FALSE(reading.scenario.has_value());
  CHECK(reading.diagnostics.items().size() == 2);
  for (const Diagnostic& d : reading.diagnostics.items())
    CHECK((d.position.line > 0 || d.position.file.find("--set") == 0));
}

TEST_CASE("a plan finds the fewest OSTs that meet the targets") {
  client::Session session(settings());
  const auto plan = session.plan(read(session, scenario(4, "job.train.gpu.utilization >= 60 %")));
  REQUIRE(plan.ok());
  CHECK(plan->status == PlanStatus::found);
  // At least 0.6 x 10.74 GB/s / 1 GB/s of each.
  CHECK(plan->required >= 7);
  CHECK(plan->required <= 16);
  CHECK(plan->prediction.metrics.at(kUtilization).value >= 0.6);
}

// 7 to 16 OSTs, see above, are more than sixteen times as many as of a tenth of that speed.
TEST_CASE("what is advised of few OSTs is what a plan says, however many more it takes") {
  client::Session session(settings());
  ScenarioFile file = scenario(1, "job.train.gpu.utilization >= 60 %");
  file.sets = {"storage.scratch.ost.read=0.2 GB/s"};
  const Scenario slow = read(session, file);
  const auto plan = session.plan(slow);
  REQUIRE(plan.ok());
  REQUIRE(plan->required > 16);
  auto prediction = session.predict(slow.design());
  REQUIRE(prediction.ok());
  session.rank_by_gain(slow.design(), *prediction);
  const auto advice = session.alternatives(slow, slow.design(), *prediction, 4);
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.front().change ==
        "storage.scratch.ost.count 1 -> " + std::to_string(plan->required));
  CHECK(advice.front().verdict == Verdict::pass);
}

TEST_CASE("what relieves a bucket is tried once, though a plan would count it, too") {
  client::Session session(settings());
  const Scenario bucket = read(session, {.file = "bucket.json", .text = R"({
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 1 } ] },
  "storage": [ { "id": "b", "type": "s3", "get": { "rate": "100 ops/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" },
    "dataset": { "on": "b", "format": "raw", "sample": "100 kB", "samples": 2000 },
    "loader": { "type": "pytorch", "workers": 8, "batch": 20 } } ],
  "run": { "replicas": 1 }, "expect": [ { "that": "job.train.gpu.utilization >= 99 %" } ] })"});
  const Prediction base = session.predict(bucket.design()).value();
  REQUIRE(base.verdict == Verdict::fail);
  const auto tried = session.alternatives(bucket, bucket.design(), base, 4);
  CHECK(std::count_if(tried.begin(), tried.end(), [](const Alternative& a) {
          return a.change.starts_with("storage.b.prefixes 1 -> ");
        }) == 1);
}

TEST_CASE("a target that cannot be read is a fault of the scenario") {
  const client::Session session(settings());
  const client::Reading reading = session.read(scenario(4, "nonsense"));
  CHECK_FALSE(reading.scenario.has_value());
  REQUIRE(reading.diagnostics.items().size() == 1);
  CHECK(reading.diagnostics.items()[0].pointer == "/expect/0/that");
}

TEST_CASE("cancelling from another thread ends a call that would not end") {
  client::Session session(settings());
  const Design design = design_of(session, scenario(4));
  setenv("STALLCAST_SIM_FAULT", "hang", 1);
  session.warm_up();
  unsetenv("STALLCAST_SIM_FAULT");
  std::atomic<bool> done = false;
  std::thread impatient([&] {
    while (!done) {
      session.cancel();
      std::this_thread::yield();
    }
  });
  const auto cancelled = session.predict(design);
  done = true;
  impatient.join();
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.failure().exit == ExitCode::inconclusive);
  CHECK(session.predict(design).ok());
}

TEST_CASE("where a folder keeps all results no worker is started") {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("stallcast-client-" + std::to_string(::getpid())))
          .string();
  setenv("STALLCAST_RESULTS", folder.c_str(), 1);
  std::vector<Prediction> found;
  for (const bool kept : {false, true}) {
    client::Session session(settings());
    session.warm_up();
    const auto prediction = session.predict(design_of(session, scenario(4)));
    REQUIRE(prediction.ok());
    found.push_back(*prediction);
    siginfo_t child{};
    const bool has_worker = ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
    CHECK(has_worker != kept);
  }
  CHECK(found[0].metrics.at(kUtilization).value == found[1].metrics.at(kUtilization).value);
  unsetenv("STALLCAST_RESULTS");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a diff of two texts blames the change, and known designs are not simulated again") {
  client::Session session(settings());
  const client::DiffInput four{.name = "four", .scenario = read(session, scenario(4))};
  const client::DiffInput eight{.name = "eight", .scenario = read(session, scenario(8))};
  const Result<Diff> diff = session.diff(four, eight);
  REQUIRE(diff.ok());
  REQUIRE(diff->inputs.size() == 1);
  CHECK(diff->inputs[0].name == "storage[scratch].ost.count");
  CHECK(diff->attributed.metrics.at(kUtilization).shares.size() == 1);
  for (const MetricChange& m : diff->metrics)
    if (m.metric == kUtilization) {
      CHECK(m.effect == Effect::better);
      CHECK(diff->attributed.metrics.at(kUtilization).shares[0] == m.difference());
    }
  const Result<Diff> same = session.diff(four, four);
  REQUIRE(same.ok());
  CHECK_FALSE(same->changed());
}

TEST_CASE("an overview shows a minute, two saves, or the whole of a short run") {
  client::Session session(settings());
  const auto end_of = [&](const std::string& text) {
    ScenarioFile source = scenario(32);
    source.text->replace(source.text->find("\"duration\": \"20 s\""), 18, text);
    const Design design = design_of(session, source);
    const Result<Prediction> prediction = session.predict(design);
    REQUIRE(prediction.ok());
    const auto timeline = session.overview(design, *prediction);
    REQUIRE(timeline.has_value());
    CHECK(timeline->begin_s == 0.0);
    return timeline->end_s;
  };
  // The run ends with the step that reaches 20 s; steps last at least 100 ms.
  CHECK(end_of("\"duration\": \"20 s\"") < 21.0);
  CHECK(end_of("\"duration\": \"5 min\"") == 60.0);
}

// 2.2 saves are more than 528 s or 5280 steps of 100 ms, more than the 2000 that are shown: some
// 200 s are, around the save that is due at 4 min. 8 workers that read 4 samples for each step have
// more spans in them than the 20,000 that are kept; the lane of the rank has some 5 a step.
TEST_CASE("an overview of many steps has the first save, and lanes for as long as resources") {
  client::Session session(settings());
  ScenarioFile source = scenario(32);
  const auto put = [&](const std::string& before, const std::string& now) {
    source.text->replace(source.text->find(before), before.size(), now);
  };
  put("\"20 s\"", "\"10 min\"");
  put("\"loader\":",
      R"("checkpoint": { "mode": "sync", "to": "scratch", "size": "20 GB", "every": "4 min" },
    "loader":)");
  const Design design = design_of(session, source);
  const Result<Prediction> prediction = session.predict(design);
  REQUIRE(prediction.ok());
  const auto timeline = session.overview(design, *prediction);
  REQUIRE(timeline.has_value());
  const double shown = 2000.0 * prediction->metrics.at("job.train.step.time").value;
  CHECK(timeline->begin_s == Approx(240.0 - shown / 2.0).margin(1.0));
  CHECK(timeline->end_s == Approx(240.0 + shown / 2.0).margin(1.0));
  CHECK(timeline->spans_end_s == timeline->end_s);
  double last = 0.0;
  bool saved = false;
  for (const Timeline::Span& span : timeline->spans) {
    if (timeline->tracks[span.track].kind == "rank") last = std::max(last, span.end_s);
    saved = saved || timeline->name(span) == "checkpoint";
  }
  CHECK(last == Approx(timeline->end_s).margin(1.0));
  CHECK(saved);
}

TEST_CASE("without time there is no overview") {
  client::Session session(settings());
  const Design design = design_of(session, scenario(32));
  const Result<Prediction> prediction = session.predict(design);
  REQUIRE(prediction.ok());
  CHECK_FALSE(session.overview(design, *prediction, {.time_limit_s = 0.0}).has_value());
  CHECK_FALSE(session.overview(design, session.estimate(design)).has_value());
}

TEST_CASE("a content is what a design says, wherever in a text it is said") {
  const client::Session session(settings());
  const auto hash = [&](const std::string& old_text, const std::string& text) {
    ScenarioFile source = scenario(4, "job.train.gpu.utilization >= 50 %");
    if (const std::size_t at = source.text->find(old_text); !old_text.empty())
      source.text->replace(at, old_text.size(), text);
    return client::content_hash(design_of(session, source));
  };
  const std::string plain = hash("", "");
  CHECK(hash("\"id\": \"client\",", "\n// words\n  \"id\" :\"client\",\n\n") == plain);
  CHECK(hash("\"100 ms\"", "\"0.1 s\"") == plain);
  CHECK(hash("\"100 ms\"", "\"101 ms\"") != plain);
  CHECK(hash(">= 50 %\"", ">= 50 %\", \"why\": \"mine\"") != plain);
}

TEST_CASE("what advice counts is what a scenario calls it, in the steps of its own") {
  const client::Session session(settings());
  const auto hash = [&](const std::string& old_text, const std::string& text) {
    std::string all = R"({ "params": { "n": { "value": 4, "step": 1 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 1, "gpus": 1 } ] },
  "storage": [ { "id": "fs", "type": "lustre", "ost": { "count": "=n", "read": "1 GB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "100 ms" } } ] })";
    all.replace(all.find(old_text), old_text.size(), text);
    return client::counted_hash(read(session, {.file = "a.json", .text = all}));
  };
  const std::string plain = hash("", "");
  CHECK(hash("\"100 ms\"", "\"101 ms\"") == plain);
  CHECK(hash("\"step\": 1", "\"step\": 3") != plain);
  CHECK(hash("\"jobs\"", "\"plan\": { \"over\": { \"osts\": { \"unit\": 3 } } }, \"jobs\"") !=
        plain);
}

// 7 to 16 OSTs of 1 GB/s, as above: of those in enclosures of five, 10 or 15.
TEST_CASE("what is advised comes in the units of the plan, whatever it calls what it counts") {
  client::Session session(settings());
  for (const char* counted : {"osts", "storage.scratch.ost.count", "storage[scratch].ost.count"}) {
    ScenarioFile file = scenario(4, "job.train.gpu.utilization >= 60 %");
    const std::string plan =
        R"("plan": { "over": { ")" + std::string(counted) + R"(": { "unit": 5 } } }, )";
    file.text->insert(file.text->find("\"jobs\""), plan);
    const Scenario few = read(session, file);
    auto prediction = session.predict(few.design());
    REQUIRE(prediction.ok());
    session.rank_by_gain(few.design(), *prediction);
    const auto advice = session.alternatives(few, few.design(), *prediction, 4);
    REQUIRE_FALSE(advice.empty());
    const auto found = session.plan(few);
    REQUIRE(found.ok());
    CHECK(found->required % 5 == 0);
    CHECK(advice.front().change ==
          "storage.scratch.ost.count 4 -> " + std::to_string(found->required));
  }
}

}  // namespace client_test
