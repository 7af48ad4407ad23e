#include "engine/runtime/run/warm_worker.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>

#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/timeline_codec.hpp"
#include "engine/runtime/run/record.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "tests/run/support.hpp"
#include "tests/support/designs.hpp"

namespace warm_worker_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// Calls that share one worker.
struct Caller {
  Caller() {
    options.worker = STALLCAST_SIM_PATH;
    options.crash_directory = folder.path().string();
    options.jobs = 2;
    options.warm = &warm;
  }
  run::Outcome simulate(std::uint64_t seed, const Design& design = small_design()) const {
    return run::simulate({run::SimulationRequest(design, seed)}, options).front();
  }
  TempFolder folder;
  run::WarmWorker warm;
  run::SimulateOptions options;
};

/// Makes every simulation that is really made fail, from the next start of a worker.
struct Fault {
  Fault() { setenv("STALLCAST_SIM_FAULT", "exit", 1); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault() { unsetenv("STALLCAST_SIM_FAULT"); }
};

}  // namespace

TEST_CASE("calls that share a worker get what a worker of their own would say") {
  run::SimulateOptions cold;
  cold.worker = STALLCAST_SIM_PATH;
  const Caller caller;
  for (const std::uint64_t seed : {1U, 2U, 1U}) {
    const auto own = run::simulate({run::SimulationRequest(small_design(), seed)}, cold);
    const auto shared = caller.simulate(seed);
    REQUIRE(own[0].ok());
    REQUIRE(shared.ok());
    CHECK(codec::encode(*shared) == codec::encode(*own[0]));
  }
}

TEST_CASE("what is recorded after its figures takes for granted what they did") {
  const Caller caller;
  const run::SimulationRequest request(small_design(), 1);
  const auto recorded = [&] {
    const Result<Timeline> timeline = run::record(request, {.end_s = 5.0}, caller.options);
    REQUIRE(timeline.ok());
    return codec::encode(*timeline);
  };
  const std::string found = recorded();  // by a run of its own
  const run::Outcome figures = caller.simulate(1);
  REQUIRE(figures.ok());
  CHECK(figures->presumed == std::vector<std::string>{"cores_suffice", "loaders_keep_up"});
  CHECK(recorded() == found);
}

TEST_CASE("one process serves all calls and ends with its owner") {
  {
    Caller caller;
    REQUIRE(caller.warm.start(caller.options).ok());
    const auto started = children_of(getpid());
    REQUIRE(started.size() == 1);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      CHECK(caller.simulate(seed).ok());
      CHECK(children_of(getpid()) == started);
    }
  }
  CHECK(no_child_left());
}

TEST_CASE("what is known is not simulated again, what differs in anything is") {
  const Fault fault;
  Caller caller;
  RunResult known;
  known.seed = 7;
  known.simulated_s = 123.0;
  const Design design = small_design();
  caller.warm.results().keep(run::EncodedDesign(design).hash, known);
  const auto found = caller.simulate(7, design);
  REQUIRE(found.ok());
  CHECK(found->simulated_s == 123.0);
  CHECK_FALSE(caller.simulate(8, design).ok());
  Design other = design;
  other.hosts.front().values.begin()->second.number += 1.0;
  CHECK_FALSE(caller.simulate(7, other).ok());
}

TEST_CASE("known and new results come in the order of the requests") {
  const Caller caller;
  CHECK(caller.simulate(2).ok());
  std::vector<run::SimulationRequest> requests;
  for (const std::uint64_t seed : {1U, 2U, 3U}) requests.emplace_back(small_design(), seed);
  const auto outcomes = run::simulate(requests, caller.options);
  REQUIRE(outcomes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(outcomes[i]->seed == i + 1);
}

TEST_CASE("a worker that was killed between two calls is started again") {
  const Caller caller;
  CHECK(caller.simulate(1).ok());
  for (const pid_t worker : children_of(getpid())) {
    kill(worker, SIGKILL);
    REQUIRE(goes_away(worker));
  }
  CHECK(caller.simulate(2).ok());
}

TEST_CASE("a cancelled call ends as inconclusive and the next one works") {
  std::atomic<bool> cancelled = true;
  Caller caller;
  caller.options.cancelled = &cancelled;
  const auto ended = [&] {
    setenv("STALLCAST_SIM_FAULT", "hang", 1);
    const auto outcome = caller.simulate(1);
    unsetenv("STALLCAST_SIM_FAULT");
    return outcome;
  }();
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.failure().exit == ExitCode::inconclusive);
  CHECK(ended.failure().message.find("cancelled") == 0);
  cancelled = false;
  CHECK(caller.simulate(1).ok());
}

}  // namespace warm_worker_test
