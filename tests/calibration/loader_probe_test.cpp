#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "calibration/measure/probes/program.hpp"
#include "calibration/probe_support.hpp"

/// The loader probe against stand-ins for python3: no PyTorch is needed.
namespace stallcast::calibration::probing {
namespace {

using Catch::Contains;

/// PATH with `python3` that runs `script` by sh, or without any; as it was at the end.
class FakePython {
 public:
  explicit FakePython(const std::string& script) : before_(std::getenv("PATH")) {
    const auto file = folder_.path() / "python3";
    if (!script.empty()) {
      std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
      std::filesystem::permissions(file, std::filesystem::perms(0755));
    }
    setenv("PATH", folder_.path().c_str(), 1);
  }
  ~FakePython() { setenv("PATH", before_.c_str(), 1); }
  FakePython(const FakePython&) = delete;
  FakePython& operator=(const FakePython&) = delete;

 private:
  TestFolder folder_;
  std::string before_;
};

std::string told(const std::string& python, const ProbeOptions& options = {}) {
  const FakePython fake(python);
  const auto result = find_probe("loader")->run(options);
  if (result.ok()) return "measured " + std::to_string(result.value().measurements.size());
  const Failure& failure = result.failure();
  return std::to_string(static_cast<int>(failure.exit)) + ": " + failure.message + " | " +
         failure.hint;
}

TEST_CASE("without python3 the loader probe says what is missing") {
  CHECK_THAT(told(""), Contains("2: the loader probe needs python3"));
}

TEST_CASE("without PyTorch the loader probe passes on what python3 said, and leaves nothing") {
  const TestFolder folder;
  CHECK_THAT(told("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1",
                  options_for(folder.path())),
             Contains("2: the loader probe needs PyTorch") && Contains("No module named 'torch'"));
  CHECK(folder.left().empty());
}

TEST_CASE("a script that fails half way is a failure with its last line") {
  CHECK_THAT(told("[ \"$2\" = 'import torch' ] && exit 0; echo 'RuntimeError: no shm' >&2; exit 1"),
             Contains("2: the loader probe's script failed: RuntimeError: no shm"));
}

// 20 batches of 1 MiB in 10 ms: 0.5 ms a batch, 2000 batches and 2.097 GB in a second.
TEST_CASE("a line of the script is a measurement; what else is printed is not") {
  const TestFolder folder;
  const std::string line =
      "{\"operation\": \"handover\", \"path\": \"\", \"size\": 1048576, \"batch\": 16, "
      "\"seconds\": 0.01, \"count\": 20, \"cpu\": 0.005}";
  const FakePython fake(
      "[ \"$2\" = 'import torch' ] && exit 0; ls -d \"$3\" >/dev/null || exit 1\n"
      "echo 'a warning'; echo '{\"facts\": {\"torch\": \"2.6\"}}'\n"
      "echo '{\"operation\": \"handover\"}'; echo '" +
      line + "'");
  setenv("PATH", (std::string(std::getenv("PATH")) + ":/bin:/usr/bin").c_str(), 1);
  const auto set = find_probe("loader")->run(options_for(folder.path()));
  REQUIRE(set.ok());
  REQUIRE(set.value().measurements.size() == 1);
  const Measurement& m = set.value().measurements.front();
  CHECK(m.subject == Subject::loader);
  CHECK(m.operation == "handover");
  CHECK(m.latency->in(unit::ms) == Approx(0.5));
  CHECK(m.ops.in(unit::per_s) == Approx(2000.0));
  CHECK(m.rate.in(unit::GBps) == Approx(2.097152));
  CHECK(m.cores.value() == Approx(0.5));
  CHECK(m.figures.at("samples_per_operation") == 16.0);
  CHECK(set.value().environment.at("torch") == "2.6");
  CHECK(folder.left().empty());
}

// 4 processes on 2 cores do 100 operations in 0.1 s: each has one every 4 ms.
TEST_CASE("processes that compute at once are recorded with what there are of them for a core") {
  const TestFolder folder;
  const FakePython fake(
      "[ \"$2\" = 'import torch' ] && exit 0\n"
      "echo '{\"operation\": \"compute\", \"path\": \"mixed\", \"size\": 0, \"batch\": 1, "
      "\"seconds\": 0.1, \"count\": 100, \"cpu\": 0.2, \"processes\": 4, \"depth\": 2.0}'");
  const auto set = find_probe("loader")->run(options_for(folder.path()));
  REQUIRE(set.ok());
  REQUIRE(set.value().measurements.size() == 1);
  const Measurement& m = set.value().measurements.front();
  CHECK(m.processes == 4);
  CHECK(m.depth == 2.0);
  CHECK(m.latency->in(unit::ms) == Approx(4.0));
  CHECK(m.cores.value() == Approx(2.0));
}

TEST_CASE("an interrupted program and what it started are ended") {
  Watch watch;
  watch.interrupted = [] { return true; };
  const auto end = run_program({"sh", "-c", "sleep 1000 & sleep 1000"}, {}, watch);
  REQUIRE_FALSE(end.ok());
  CHECK(end.failure().exit == ExitCode::inconclusive);
}

TEST_CASE("the end of a program is its exit code, 128 + n after signal n, 127 without a program") {
  CHECK(run_program({"sh", "-c", "exit 7"}, {}, {}).value().status == 7);
  CHECK(run_program({"sh", "-c", "kill -9 $$"}, {}, {}).value().status == 137);
  CHECK(run_program({"no-such-program"}, {}, {}).value().status == 127);
}

}  // namespace
}  // namespace stallcast::calibration::probing
