#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/fields.hpp"
#include "models/contract/rows.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Stages of a pipeline: work with a beginning, an end, and an order. docs/models/stages.md.
namespace stallcast::models {

/// What every stage has.
struct StageParams {
  std::vector<std::string> after;
  std::string when;  ///< "done" or "streaming"
  Seconds start;
  [[nodiscard]] bool streams() const { return when == "streaming"; }
};
[[nodiscard]] StageParams stage_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> stage_common_fields();

/// What every stage has that reads a storage system.
struct MoveParams {
  std::string from, hosts;
  std::int64_t workers = 1;
  Bytes chunk, file;
  std::optional<Bytes> size;
  std::optional<std::int64_t> files;
  std::optional<Rate> rate;
  double share = 1.0;
  bool overlap = true;
  bool direct = false;
};
inline constexpr std::string_view kWhen[] = {"done", "streaming"};
inline constexpr std::array<base::Field<MoveParams>, 11> kMoveFields{
    base::field("from", &MoveParams::from, base::kRequired, "id of the storage system it reads"),
    base::field("hosts", &MoveParams::hosts, base::kRequired, "id of the host class it runs on"),
    base::field("workers", &MoveParams::workers, "16", "worker processes on one host",
                base::assumed(base::up_to(65536))),
    base::field("chunk", &MoveParams::chunk, "64 MiB",
                "what one worker reads, works on and writes at a time",
                base::assumed(base::kPositive)),
    base::field("file", &MoveParams::file, "1 GiB",
                "size of a file that it reads; without \"size\", of each of its \"files\"",
                base::assumed(base::kPositive)),
    base::field("size", &MoveParams::size, base::kOptional,
                "bytes it reads; absent: \"files\", or what the stages before it brought to `from`",
                base::kNonNegative),
    base::field("files", &MoveParams::files, base::kOptional, "files it reads; absent: size / file",
                base::kNonNegative),
    base::field("rate", &MoveParams::rate, base::kOptional,
                "bytes it may read a second, all its workers together", base::kPositive),
    base::field("share", &MoveParams::share, "1",
                "weight of its transfers when they share a resource: 0.5 gets half of an equal "
                "share",
                base::kPositive),
    base::field(
        "overlap", &MoveParams::overlap, "true",
        "workers read ahead and write behind; false: one chunk after the other, as cp does"),
    base::field("direct", &MoveParams::direct, "false", "O_DIRECT")};
[[nodiscard]] MoveParams move_params(const Component& component);

/// Fields of the kinds that move data: those above, then the kind's own.
template <const auto& fields>
inline constexpr auto kMoving = [] {
  std::array<base::FieldInfo, kMoveFields.size() + fields.size()> out{};
  std::size_t at = 0;
  for (const auto& field : kMoveFields) out[at++] = field.info;
  for (const auto& field : fields) out[at++] = field.info;
  return out;
}();

/// What a kind of stage does with a byte that it read.
struct StageWork {
  std::string to;             ///< storage system it writes; "": none
  double ratio = 1.0;         ///< bytes written for each
  std::optional<Bytes> file;  ///< size of a file it writes; absent: file x ratio
  std::optional<Rate> cpu =
      std::nullopt;      ///< read bytes that a core takes in; absent: no core time
  Seconds delay{};       ///< before its first byte
  Seconds per_file{};    ///< of a worker, for each file
  bool release = false;  ///< files are removed where they were read
};

/// Archives, prefetches, stages in and out: models/stage/copy.cpp.
[[nodiscard]] StageRow copy_stage();
/// Cleans, tokenises, decodes, shuffles: models/stage/transform.cpp.
[[nodiscard]] StageRow transform_stage();
/// Reads: models/stage/scan.cpp.
[[nodiscard]] StageRow scan_stage();
/// Reads and takes checksums: models/stage/verify.cpp.
[[nodiscard]] StageRow verify_stage();
/// A job: models/stage/train.cpp.
[[nodiscard]] StageRow train_stage();

/// Id of the job that a `train` stage is.
[[nodiscard]] std::string job_of_stage(const Component& stage);

}  // namespace stallcast::models
