#include "engine/decide/sweep/launcher.hpp"
#include "engine/base/text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace launcher_test {

using namespace stallcast;

namespace {

sweep::Launch launch(std::string_view engine) {
  sweep::LaunchRequest request{"/opt/stall cast",       "a/s.db",        4,
                               {"--time-limit", "2 h"}, "r/stallcast:1", "data"};
  const auto made = sweep::launch(engine, request);
  REQUIRE(made.ok());
  return *made;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

constexpr const char* kRun = "'/opt/stall cast' sweep run a/s.db --time-limit '2 h'";

}  // namespace

TEST_CASE("a Slurm script is an array of as many tasks as parts") {
  const auto made = launch("slurm");
  CHECK(made.text.starts_with("#!/bin/sh\n"));
  CHECK(has(made.text, "#SBATCH --array=0-3\n"));
  CHECK(has(made.text, std::string("exec ") + kRun));
  CHECK(made.submit.front() == "sbatch");
}

TEST_CASE("MPI and GNU parallel run each part on one core") {
  CHECK(has(launch("mpi").text, std::string("mpirun -n 4 ") + kRun + " --jobs 1\n"));
  const auto made = launch("parallel");
  CHECK(has(made.text, "export STALLCAST_SHARDS=4\n"));
  CHECK(has(made.text, "seq 4 | parallel -n0 "));
}

TEST_CASE("a Kubernetes manifest is an indexed job that says of how many parts") {
  const auto job = nlohmann::json::parse(launch("k8s").text);
  CHECK(job["kind"] == "Job");
  CHECK(job["spec"]["completionMode"] == "Indexed");
  CHECK(job["spec"]["completions"] == 4);
  const auto& container = job["spec"]["template"]["spec"]["containers"][0];
  CHECK(container["image"] == "r/stallcast:1");
  CHECK(container["command"][3] == "/sweep/a/s.db");
  CHECK(container["env"][0]["value"] == "4");
  CHECK(container["volumeMounts"][0]["name"] ==
        job["spec"]["template"]["spec"]["volumes"][0]["name"]);
  CHECK_FALSE(sweep::launch("k8s", {"stallcast", "s.db", 4, {}, "", ""}).ok());
}

TEST_CASE("unknown engines are refused") {
  CHECK_FALSE(sweep::launch("ray", {"stallcast", "s.db", 4, {}, "", ""}).ok());
}

TEST_CASE("words for a shell are quoted where they must be") {
  CHECK(base::shell_word("a/b-c.db") == "a/b-c.db");
  CHECK(base::shell_word("") == "''");
  CHECK(base::shell_word("it's $HOME") == "'it'\\''s $HOME'");
}

}  // namespace launcher_test
