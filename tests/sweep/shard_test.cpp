#include "engine/decide/sweep/shard.hpp"

#include <catch2/catch.hpp>
#include <map>

namespace shard_test {

using namespace stallcast;

namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<sweep::Shard>> shard(const Variables& variables) {
  return sweep::shard_from([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

/// "2-of-4", "all", or "fault".
std::string name(const Variables& variables) {
  const auto found = shard(variables);
  if (!found.ok()) return "fault";
  return found->has_value() ? (*found)->name() : "all";
}

}  // namespace

TEST_CASE("shards are written I/N, counted from one") {
  CHECK(sweep::parse_shard("2/3")->name() == "2-of-3");
  for (const char* text : {"", "2", "0/3", "4/3", "a/b", "1/", "/2", "1/2/3", "-1/3", "1/9999999"})
    CHECK_FALSE(sweep::parse_shard(text).ok());
}

TEST_CASE("every design is in exactly one shard") {
  for (std::size_t design = 0; design < 20; ++design) {
    int in = 0;
    for (const char* text : {"1/3", "2/3", "3/3"}) in += sweep::parse_shard(text)->has(design);
    CHECK(in == 1);
  }
}

TEST_CASE("without a launcher everything is done") { CHECK(name({}) == "all"); }

TEST_CASE("a task of a Slurm array is a shard, whatever its first index and step") {
  CHECK(name({{"SLURM_ARRAY_TASK_ID", "3"},
              {"SLURM_ARRAY_TASK_MIN", "0"},
              {"SLURM_ARRAY_TASK_COUNT", "8"}}) == "4-of-8");
  CHECK(name({{"SLURM_ARRAY_TASK_ID", "14"},
              {"SLURM_ARRAY_TASK_MIN", "10"},
              {"SLURM_ARRAY_TASK_STEP", "2"},
              {"SLURM_ARRAY_TASK_COUNT", "4"}}) == "3-of-4");
  CHECK(name({{"SLURM_ARRAY_TASK_ID", "13"},
              {"SLURM_ARRAY_TASK_MIN", "10"},
              {"SLURM_ARRAY_TASK_STEP", "2"},
              {"SLURM_ARRAY_TASK_COUNT", "4"}}) == "fault");
  CHECK(name({{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}) == "fault");
  CHECK(name({{"SLURM_ARRAY_TASK_ID", "1"}}) == "fault");
}

TEST_CASE("a task of srun is a shard, a batch script is not") {
  const Variables task = {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}};
  CHECK(name(task) == "2-of-4");
  Variables script = task;
  script["SLURM_JOB_ID"] = "77";
  CHECK(name(script) == "all");
  script["SLURM_STEP_ID"] = "0";
  CHECK(name(script) == "2-of-4");
}

TEST_CASE("ranks of MPI, indexes of Kubernetes and jobs of GNU parallel are shards") {
  CHECK(name({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}) == "1-of-2");
  CHECK(name({{"JOB_COMPLETION_INDEX", "4"}, {"STALLCAST_SHARDS", "5"}}) == "5-of-5");
  CHECK(name({{"PARALLEL_SEQ", "1"}, {"STALLCAST_SHARDS", "5"}}) == "1-of-5");
  CHECK(name({{"PARALLEL_SEQ", "6"}, {"STALLCAST_SHARDS", "5"}}) == "fault");
  CHECK(name({{"JOB_COMPLETION_INDEX", "4"}}) == "fault");
  CHECK(name({{"OMPI_COMM_WORLD_RANK", "x"}, {"OMPI_COMM_WORLD_SIZE", "2"}}) == "fault");
}

}  // namespace shard_test
