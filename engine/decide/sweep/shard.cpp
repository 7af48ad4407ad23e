#include "engine/decide/sweep/shard.hpp"

#include <array>
#include <charconv>

namespace stallcast::sweep {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

std::optional<std::size_t> whole(std::string_view text) {
  std::size_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// How a launcher informs a process which of how many it is.
struct Launcher {
  const char* index;
  const char* count;
  const char* first;  ///< variable with the smallest index; nullptr: `first_index`
  std::size_t first_index;
  const char* step;       ///< variable with the distance of indices; nullptr: 1
  const char* only_with;  ///< what must be set unless `unless` is not; nullptr: nothing
  const char* unless;
};
constexpr std::array kLaunchers = {
    Launcher{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", 0,
             "SLURM_ARRAY_TASK_STEP", nullptr, nullptr},
    // A batch script has rank 0 of all tasks, but it is not a step: it does everything.
    Launcher{"SLURM_PROCID", "SLURM_NTASKS", nullptr, 0, nullptr, "SLURM_STEP_ID", "SLURM_JOB_ID"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, 0, nullptr, nullptr, nullptr},
    Launcher{"JOB_COMPLETION_INDEX", "STALLCAST_SHARDS", nullptr, 0, nullptr, nullptr, nullptr},
    Launcher{"PARALLEL_SEQ", "STALLCAST_SHARDS", nullptr, 1, nullptr, nullptr, nullptr}};

Failure no_number(const char* name, const char* text) {
  return {ExitCode::bad_input,
          std::string(name) +
              (text == nullptr ? " is not set"
                               : " is \"" + std::string(text) + "\", which is not a whole number"),
          "say which part this process does with --shard 1/4"};
}

Result<std::optional<Shard>> from(const Launcher& launcher, const Environment& environment) {
  const auto number = [&](const char* name) -> Result<std::size_t> {
    const char* text = environment(name);
    const auto value = text == nullptr ? std::nullopt : whole(text);
    if (!value) return no_number(name, text);
    return *value;
  };
  const auto index = number(launcher.index);
  if (!index) return index.failure();
  const auto count = number(launcher.count);
  if (!count) return count.failure();
  std::size_t first = launcher.first_index, step = 1;
  if (launcher.first != nullptr && environment(launcher.first) != nullptr) {
    const auto given = number(launcher.first);
    if (!given) return given.failure();
    first = *given;
  }
  if (launcher.step != nullptr && environment(launcher.step) != nullptr) {
    const auto given = number(launcher.step);
    if (!given) return given.failure();
    step = *given;
  }
  const bool on_grid = step > 0 && *index >= first && (*index - first) % step == 0;
  if (!on_grid || (*index - first) / step >= *count || *count > kMostShards)
    return Failure{ExitCode::bad_input,
                   std::string(launcher.index) + " " + std::to_string(*index) +
                       " is not one of the " + std::to_string(*count) + " parts that " +
                       launcher.count + " says",
                   "say which part this process does with --shard 1/4"};
  return std::optional(Shard{(*index - first) / step, *count, launcher.index});
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = whole(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : whole(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > kMostShards)
    return Failure{ExitCode::bad_input, "--shard: \"" + std::string(text) + "\" is not I/N",
                   "write --shard 1/4 for the first of four"};
  return Shard{*index - 1, *count, "--shard"};
}

Result<std::optional<Shard>> shard_from(const Environment& environment) {
  for (const Launcher& launcher : kLaunchers) {
    if (environment(launcher.index) == nullptr) continue;
    if (launcher.only_with != nullptr && environment(launcher.only_with) == nullptr &&
        environment(launcher.unless) != nullptr)
      continue;
    return from(launcher, environment);
  }
  return std::optional<Shard>();
}

}  // namespace stallcast::sweep
