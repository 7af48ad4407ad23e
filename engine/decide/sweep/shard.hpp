#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "stallcast/result.hpp"

/// Which part of a sweep one of several processes does.
namespace stallcast::sweep {

/// Part `index` of `count`, counted from 0.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
  std::string source;  ///< "--shard", or the variable it was taken from

  [[nodiscard]] bool has(std::size_t design) const { return design % count == index; }
  /// "2-of-3"
  [[nodiscard]] std::string name() const {
    return std::to_string(index + 1) + "-of-" + std::to_string(count);
  }
};

/// "2/3": the second of three.
[[nodiscard]] Result<Shard> parse_shard(std::string_view text);

/// The variable of that name, or nullptr, as std::getenv.
using Environment = std::function<const char*(const char*)>;

/// What a launcher says of this process, first found first: SLURM_ARRAY_TASK_ID with _MIN, _COUNT
/// and _STEP; SLURM_PROCID with SLURM_NTASKS, unless this is the batch script of a job, which runs
/// once; OMPI_COMM_WORLD_RANK with _SIZE; JOB_COMPLETION_INDEX (from 0) and PARALLEL_SEQ (from 1),
/// which do not say of how many: STALLCAST_SHARDS does. None of these: nullopt. One without its
/// count, or no number, is a failure with bad_input.
[[nodiscard]] Result<std::optional<Shard>> shard_from(const Environment& environment);

}  // namespace stallcast::sweep
