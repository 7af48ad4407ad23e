#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "tests/run/support.hpp"
#include "tests/support/designs.hpp"

namespace worker_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// Sets STALLCAST_SIM_FAULT while it lives.
struct Fault {
  explicit Fault(const std::string& what) { setenv("STALLCAST_SIM_FAULT", what.c_str(), 1); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault() { unsetenv("STALLCAST_SIM_FAULT"); }
};

struct Runner {
  explicit Runner(int jobs = 1) {
    options.worker = STALLCAST_SIM_PATH;
    options.crash_directory = folder.path().string();
    options.jobs = jobs;
  }
  std::vector<run::Outcome> simulate(std::size_t count) const {
    std::vector<run::SimulationRequest> requests(count, {small_design(), 0});
    for (std::size_t i = 0; i < count; ++i) requests[i].seed = 10 + i;
    return run::simulate(requests, options);
  }
  /// The one file that is there: nothing temporary, and named by the message.
  std::string saved(const Failure& failure) const {
    const auto names = folder.names();
    REQUIRE(names.size() == 1);
    INFO(failure.message);
    CHECK(failure.message.find(names[0]) != std::string::npos);
    return folder.file(names[0]);
  }
  TempFolder folder;
  run::SimulateOptions options;
};

/// What the worker says when a saved design is given to it as the hint says.
std::string replay(const std::string& file, const TempFolder& folder) {
  const std::string out = folder.file("replay.out");
  const std::string command = std::string(STALLCAST_SIM_PATH) + " < " + file + " > " + out;
  CHECK(std::system(command.c_str()) == 0);
  return read_all(out);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The worker that this process started, and its simulations.
std::vector<pid_t> worker_of_this() { return children_of(getpid()); }

}  // namespace

TEST_CASE("one job and two give the same bytes in the same order") {
  const auto one = Runner(1).simulate(6);
  const auto two = Runner(2).simulate(6);
  for (std::size_t i = 0; i < 6; ++i) {
    REQUIRE(one[i].ok());
    REQUIRE(two[i].ok());
    CHECK(one[i]->seed == 10 + i);
    CHECK(codec::encode(*one[i]) == codec::encode(*two[i]));
  }
  CHECK(no_child_left());
}

TEST_CASE("a crash is an internal failure whose design replays, and the others go on") {
  struct Case {
    std::string fault, said;
  };
  for (const Case& c : {Case{"abort@1", "SIGABRT"}, Case{"segv@1", "SIGSEGV"},
                        Case{"exit@1", "ended with status 3"}, Case{"assert@1", "injected"}}) {
    INFO(c.fault);
    const Runner runner(2);
    const auto outcomes = [&] {
      const Fault fault(c.fault);
      return runner.simulate(3);
    }();
    CHECK(outcomes[0].ok());
    CHECK(outcomes[2].ok());
    REQUIRE_FALSE(outcomes[1].ok());
    const Failure& failure = outcomes[1].failure();
    CHECK(failure.exit == ExitCode::internal);
    CHECK(contains(failure.message, "seed 11 crashed"));
    CHECK(contains(failure.message, c.said));
    CHECK(no_child_left());

    const std::string file = runner.saved(failure);
    CHECK(contains(replay(file, runner.folder), "\"type\":\"result\",\"id\":1,"));
    const Fault fault(c.fault);
    CHECK(contains(replay(file, runner.folder), "\"reason\":\"crashed\""));
  }
}

TEST_CASE("a simulation that hangs ends at the time limit and is not a crash") {
  const Fault fault("hang@0");
  Runner runner(2);
  runner.options.until = base::Deadline::in(1.0);
  std::vector<pid_t> simulations;
  runner.options.on_progress = [&simulations](double) {
    for (const pid_t worker : worker_of_this()) simulations = children_of(worker);
  };
  const auto outcomes = runner.simulate(2);
  CHECK(outcomes[1].ok());
  REQUIRE_FALSE(outcomes[0].ok());
  CHECK(outcomes[0].failure().exit == ExitCode::inconclusive);
  CHECK(contains(outcomes[0].failure().message, "time limit reached, 1 of 2 simulations done"));
  CHECK(runner.folder.names().empty());
  CHECK(no_child_left());
  REQUIRE_FALSE(simulations.empty());
  // Not even a zombie is left to whoever inherits orphans: the worker reaped it.
  for (const pid_t pid : simulations) CHECK(state_of(pid).state == 0);
}

TEST_CASE("killing a simulation fails that one only") {
  Runner runner(2);
  runner.options.on_progress = [](double done) {
    if (done < 0.5) return;  // the second one is done: the first and last child is the hanging one
    for (const pid_t worker : worker_of_this())
      for (const pid_t simulation : children_of(worker)) kill(simulation, SIGKILL);
  };
  const auto outcomes = [&] {
    const Fault fault("hang@0");
    return runner.simulate(2);
  }();
  CHECK(outcomes[1].ok());
  REQUIRE_FALSE(outcomes[0].ok());
  CHECK(outcomes[0].failure().exit == ExitCode::internal);
  CHECK(contains(outcomes[0].failure().message, "was killed, killed by signal 9 (SIGKILL)"));
  CHECK(contains(replay(runner.saved(outcomes[0].failure()), runner.folder),
                 "\"type\":\"result\",\"id\":0,"));
  CHECK(no_child_left());
}

TEST_CASE("killing the worker in mid-run fails what ran and leaves no simulation behind") {
  const Fault fault("hang@0");
  Runner runner(2);
  std::vector<pid_t> simulations;
  runner.options.on_progress = [&simulations](double done) {
    if (done < 0.5) return;  // the second one is done, the first one hangs
    for (const pid_t worker : worker_of_this()) {
      if (simulations.empty()) simulations = children_of(worker);
      kill(worker, SIGKILL);
    }
  };
  const auto outcomes = runner.simulate(2);
  CHECK(outcomes[1].ok());
  REQUIRE_FALSE(outcomes[0].ok());
  CHECK(outcomes[0].failure().exit == ExitCode::internal);
  CHECK(contains(outcomes[0].failure().message, "the worker killed by signal 9 (SIGKILL)"));
  runner.saved(outcomes[0].failure());
  CHECK(no_child_left());
  REQUIRE_FALSE(simulations.empty());
  for (const pid_t pid : simulations) CHECK(goes_away(pid));
}

TEST_CASE("an interrupt leaves no simulation behind") {
  const Fault fault("hang@0");
  Runner runner(2);
  runner.options.on_progress = [](double done) {
    if (done >= 0.5) run::interrupt_flag() = SIGTERM;
  };
  const auto outcomes = runner.simulate(2);
  run::interrupt_flag() = 0;
  CHECK(outcomes[1].ok());
  CHECK(outcomes[0].failure().exit == ExitCode::inconclusive);
  CHECK(
      contains(outcomes[0].failure().message, "interrupted by signal 15, 1 of 2 simulations done"));
  CHECK(runner.folder.names().empty());
  CHECK(no_child_left());
}

TEST_CASE("the worker refuses what is not a request and carries on") {
  const TempFolder folder;
  const std::string file = folder.file("requests");
  write_all(file, "nonsense\n{\"id\":4}\n{\"id\":5,\"seed\":1,\"design\":{}}\n\n" +
                      ("{\"id\":6,\"seed\":1,\"design\":" + codec::encode(small_design()) + "}"));
  const std::string said = replay(file, folder);
  CHECK(contains(said, "{\"type\":\"failed\",\"id\":null,\"reason\":\"bad-request\""));
  CHECK(contains(said, "{\"type\":\"failed\",\"id\":4,\"reason\":\"bad-request\""));
  CHECK(contains(said, "{\"type\":\"failed\",\"id\":5,\"reason\":\"bad-request\""));
  CHECK(contains(said, "{\"type\":\"result\",\"id\":6,"));  // its line has no end
}

}  // namespace worker_test
