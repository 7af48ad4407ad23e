#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/decide/gain/levers.hpp"
#include "models/contract/replay_program.hpp"
#include "stallcast/client.hpp"
#include "stallcast/metric.hpp"
#include "tests/support/programs.hpp"
#include "ui/app/replay.hpp"

namespace replay_gain_test {

using namespace stallcast;

namespace {

using testing::ThreadSteps;

double makespan(const Prediction& p, const Design& design) {
  return p.metrics.at(metric::of_tenant(design.tenants.back().id, "makespan")).value;
}

ReplayStep step(ReplayAction action, std::uint64_t file = 0, double gap = 0.0,
                std::uint64_t bytes = 0, std::uint64_t offset = 0) {
  return {.gap = gap, .file = file, .offset = offset, .bytes = bytes, .action = action};
}

/// Files that eight threads open, read at random places, write and sync.
std::string all_kinds() {
  std::vector<ThreadSteps> threads(8);
  for (std::size_t t = 0; t < threads.size(); ++t)
    for (std::uint64_t i = 0; i < 20; ++i) {
      auto& steps = threads[t].steps;
      steps.push_back(step(ReplayAction::metadata));
      steps.push_back(step(ReplayAction::read, t + 1, 1e-3, 1U << 20U, i << 24U));
      steps.push_back(step(ReplayAction::write, t + 100, 0.0, 1U << 20U, i << 20U));
      steps.push_back(step(ReplayAction::sync, t + 100));
    }
  return testing::program_file(threads, 1);
}

/// Four workers that read 32 MB for each batch, and a training loop that takes 20 ms over one.
std::string training() {
  std::vector<ThreadSteps> threads(5);
  for (std::uint64_t b = 0; b < 40; ++b) {
    auto& worker = threads[1 + b % 4].steps;
    if (b >= 8) worker.push_back(step(ReplayAction::await, 2 * (b - 8) + 2));
    worker.push_back(step(ReplayAction::read, b + 1, 0.0, 32000000));
    worker.push_back(step(ReplayAction::post, 2 * b + 1));
    threads[0].steps.push_back(step(ReplayAction::take, 2 * b + 1));
    threads[0].steps.push_back(step(ReplayAction::post, 2 * b + 2));
    threads[0].steps.push_back(step(ReplayAction::step, 0, 20e-3));
  }
  return testing::program_file(threads, 1);
}

/// The most that any part gains alone, each simulated by itself: without the screening of owners.
double greatest(client::Session& session, const Design& design, Prediction prediction) {
  prediction.breakdown.clear();  // of jobs beside it
  std::vector<Design> designs = {design};
  for (const auto& [path, part] : gain::parts_of(design, prediction))
    designs.push_back(gain::faster(design, part.levers));
  const auto found = session.predict_all(designs, {.replicas = 1});
  REQUIRE(found.front().ok());
  double most = 0.0;
  for (const auto& each : found)
    if (each.ok())
      most = std::max(most, 1.0 - makespan(*each, design) / makespan(*found.front(), design));
  return most;
}

}  // namespace

// What a replay names first is what shortens it most when it is twice as fast, but for noise.
TEST_CASE("the first limit of a replay is what gains most, on every storage of the library") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  const std::vector<std::string> programs = {all_kinds(), training()};
  std::size_t compared = 0, gaining = 0;
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/library")) {
    if (entry.path().extension() != ".json") continue;
    const client::Reading reading = session.read({.file = entry.path().string()});
    REQUIRE(reading.scenario.has_value());
    const Design& scenario = reading.scenario->design();
    for (const Component& storage : scenario.storage)
      for (const std::string& program : programs) {
        INFO(entry.path().string() << ", " << storage.id << ", program "
                                   << (program == programs.front() ? "of all kinds" : "training"));
        client::ReplayQuestion question;
        question.program = program;
        question.header = models::ReplayProgram::open(program)->header();
        question.storage = storage.id;
        question.hosts = scenario.hosts.front().id;
        const auto made = client::replay_design(scenario, question);
        REQUIRE(made.ok());
        Result<Prediction> prediction = session.predict(made->design, {.replicas = 1});
        REQUIRE(prediction.ok());
        session.rank_by_gain(made->design, *prediction);
        REQUIRE(prediction->gains.has_value());
        const Gains& gains = *prediction->gains;
        if (gains.left_out > 0) continue;
        ++compared;
        const auto& rows = prediction->bottlenecks;
        const double first =
            rows.empty() || !rows.front().gain ? 0.0 : std::max(0.0, rows.front().gain->time);
        const double most = greatest(session, made->design, *prediction);
        gaining += most > 0.05 ? 1 : 0;
        INFO("first row " << (rows.empty() ? "none" : rows.front().resource) << " " << first
                          << ", greatest gain " << most << ", noise " << gains.noise);
        CHECK(first >= most - 2.0 * gains.noise);
      }
  }
  CHECK(compared >= 80);
  CHECK(gaining >= compared / 2);
}

// Beside a job, too, what is named is what shortens the replay.
TEST_CASE("beside jobs the first limit of a replay is the replay's") {
  client::Session session({.jobs = 2, .worker = STALLCAST_SIM_PATH});
  const std::string program = all_kinds();
  for (const char* file : {"nfs-baseline", "retinanet-images", "llm-sync-ckpt"}) {
    INFO(file);
    const client::Reading reading =
        session.read({.file = std::string("scenarios/library/") + file + ".json"});
    REQUIRE(reading.scenario.has_value());
    const Design& scenario = reading.scenario->design();
    client::ReplayQuestion question;
    question.program = program;
    question.header = models::ReplayProgram::open(program)->header();
    question.storage = scenario.storage.front().id;
    question.hosts = scenario.hosts.front().id;
    question.with_jobs = true;
    const auto made = client::replay_design(scenario, question);
    REQUIRE(made.ok());
    Result<Prediction> prediction = session.predict(made->design, {.replicas = 1});
    REQUIRE(prediction.ok());
    client::Question of;
    of.gain_of = metric::of_tenant(made->design.tenants.back().id, "makespan");
    session.rank_by_gain(made->design, *prediction, of);
    REQUIRE(prediction->gains.has_value());
    REQUIRE(prediction->gains->simulated > 0);
    const auto& rows = prediction->bottlenecks;
    REQUIRE(!rows.empty());
    REQUIRE(rows.front().gain.has_value());
    const double most = greatest(session, made->design, *prediction);
    INFO(rows.front().resource << " " << rows.front().gain->time << ", greatest " << most);
    CHECK(rows.front().gain->time > 0.0);
    if (prediction->gains->left_out == 0)
      CHECK(rows.front().gain->time >= most - 2.0 * prediction->gains->noise);
  }
}

}  // namespace replay_gain_test
