#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "tests/run/support.hpp"
#include "tests/support/designs.hpp"

// The worker's own processes try what they must not be able to do ($STALLCAST_SIM_FAULT).
namespace sandbox_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// Sets a variable while it lives.
struct Variable {
  Variable(const char* its_name, const char* value) : name(its_name) { setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name); }
  const char* name;
};

/// Why the one simulation of a fresh worker failed.
std::string failure_of(const char* fault, double memory_mb = 0.0, int cpu_s = 0) {
  const Variable what("STALLCAST_SIM_FAULT", fault);
  const TempFolder folder;
  run::SimulateOptions options;
  options.worker = STALLCAST_SIM_PATH;
  options.crash_directory = folder.path().string();
  options.memory_mb = memory_mb;
  options.cpu_s = cpu_s;
  const run::Outcome out = run::simulate({run::SimulationRequest(small_design(), 1)}, options)[0];
  REQUIRE_FALSE(out.ok());
  return out.failure().message;
}

bool instrumented() {
  return run::sandbox_of(STALLCAST_SIM_PATH)->find("sanitizer") != std::string::npos;
}

}  // namespace

TEST_CASE("a simulation opens no file and no socket, starts no program and signals nobody") {
  if (instrumented()) return;
  CHECK(*run::sandbox_of(STALLCAST_SIM_PATH) == "seccomp");
  CHECK_THAT(failure_of("escape"), Contains("the sandbox holds"));
}

TEST_CASE(
    "without the sandbox it can do all that the attempts are about, and says that it has none") {
  const Variable off("STALLCAST_SIM_SANDBOX", "off");
  CHECK_THAT(*run::sandbox_of(STALLCAST_SIM_PATH), StartsWith("none: "));
  const std::string said = failure_of("escape");
  // Containers may withhold the rest.
  for (const char* what :
       {"a TCP socket", "a UDP socket", "a local socket", "reading a file", "writing a file",
        "making a folder", "a signal to its parent", "another process", "another program"})
    CHECK_THAT(said, Contains(what));
}

TEST_CASE("a simulation that needs more memory than it may take fails by itself") {
  if (instrumented()) return;
  CHECK_THAT(failure_of("memory", 400.0), Contains("more memory than a simulation may take"));
}

TEST_CASE("a simulation that takes more time on a core than it may ends") {
  CHECK_THAT(failure_of("spin", 0.0, 1), Contains("XCPU"));
}

}  // namespace sandbox_test
