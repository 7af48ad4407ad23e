#include "engine/runtime/run/kept_results.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "tests/run/support.hpp"
#include "tests/support/designs.hpp"

namespace kept_results_test {

using namespace stallcast;
using namespace stallcast::testing;
namespace fs = std::filesystem;

namespace {

/// A variable of the environment for a while.
struct Variable {
  Variable(const char* its_name, const std::string& value) : name(its_name) {
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name); }
  const char* name;
};

/// Each call has a worker of its own, as processes have.
run::Outcome simulate(const Design& design, std::uint64_t seed) {
  run::SimulateOptions options;
  options.worker = STALLCAST_SIM_PATH;
  options.crash_directory = fs::temp_directory_path().string();
  return run::simulate({run::SimulationRequest(design, seed)}, options).front();
}

std::size_t files_below(const fs::path& folder) {
  std::size_t n = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) n += entry.is_regular_file();
  return n;
}

RunResult result_of(std::uint64_t seed) {
  RunResult result;
  result.seed = seed;
  result.metrics["m"] = {0.1, "s", {}};
  return result;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("what one process simulated the next one does not, where both name a folder") {
  const TempFolder folder;
  const Variable results("STALLCAST_RESULTS", (folder.path() / "results").string());
  const auto first = simulate(small_design(), 1);
  REQUIRE(first.ok());
  const Variable fault("STALLCAST_SIM_FAULT", "exit");  // whatever is simulated from here on fails
  const auto second = simulate(small_design(), 1);
  REQUIRE(second.ok());
  CHECK(codec::encode(*second) == codec::encode(*first));
  CHECK_FALSE(simulate(small_design(), 2).ok());
  Design other = small_design();
  other.hosts.front().values.begin()->second.number += 1.0;
  CHECK_FALSE(simulate(other, 1).ok());
}

TEST_CASE("without the folder's name nothing is kept, and a failure never is") {
  const TempFolder folder;
  CHECK(simulate(small_design(), 1).ok());
  const Variable results("STALLCAST_RESULTS", folder.path().string());
  {
    const Variable fault("STALLCAST_SIM_FAULT", "exit");
    CHECK_FALSE(simulate(small_design(), 1).ok());
  }
  CHECK(files_below(folder.path()) == 0);
  CHECK(simulate(small_design(), 1).ok());
  CHECK(files_below(folder.path()) == 1);
}

TEST_CASE("a folder that cannot be is said with the variable that names it") {
  const TempFolder folder;
  write(folder.path() / "file", "");
  const Variable results("STALLCAST_RESULTS", (folder.path() / "file/results").string());
  const auto outcome = simulate(small_design(), 1);
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.failure().exit == ExitCode::bad_input);
  CHECK(outcome.failure().hint.find("STALLCAST_RESULTS") != std::string::npos);
}

TEST_CASE("another simulator has results of its own, and a torn file is none") {
  const TempFolder folder;
  write(folder.path() / "one", "a simulator");
  write(folder.path() / "two", "a simulator, mended");
  const fs::path results = folder.path() / "results";
  const auto one = run::KeptResults::open(results, (folder.path() / "one").string());
  const auto two = run::KeptResults::open(results, (folder.path() / "two").string());
  const run::EncodedDesign design(small_design());
  one->keep(design, result_of(1));
  CHECK(one->find(design, 1).has_value());
  CHECK_FALSE(one->find(design, 2).has_value());
  CHECK_FALSE(two->find(design, 1).has_value());
  for (const auto& entry : fs::recursive_directory_iterator(results))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  CHECK_FALSE(one->find(design, 1).has_value());
}

TEST_CASE("what a design reads of files is not decided by its text, so it is not kept") {
  const TempFolder folder;
  write(folder.path() / "sim", "a simulator");
  const auto kept =
      run::KeptResults::open(folder.path() / "results", (folder.path() / "sim").string());
  Design replays = small_design();
  replays.tenants.push_back({});
  replays.tenants.back().kind = "replay";
  const run::EncodedDesign design(replays);
  kept->keep(design, result_of(1));
  CHECK_FALSE(kept->find(design, 1).has_value());
}

TEST_CASE("a full folder forgets what is oldest") {
  const TempFolder folder;
  write(folder.path() / "sim", "a simulator");
  const fs::path results = folder.path() / "results";
  const std::size_t each = 4;
  const auto kept = run::KeptResults::open(results, (folder.path() / "sim").string(), each);
  const run::EncodedDesign design(small_design());
  const std::uint64_t n = 16'384;
  for (std::uint64_t seed = 1; seed <= n; ++seed) kept->keep(design, result_of(seed));
  // One write of 16 looks: 256 folders of up to 4 and what comes until somebody looks.
  CHECK(files_below(results) < 256 * (each + 32));
  CHECK(files_below(results) > 256 * each / 2);
  CHECK_FALSE(kept->find(design, 1).has_value());
}

}  // namespace kept_results_test
