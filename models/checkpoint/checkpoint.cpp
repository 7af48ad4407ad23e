#include "models/checkpoint/checkpoint.hpp"

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kWriters[] = {"all", "rank0"};
constexpr std::string_view kSerializers[] = {"none", "torch"};

constexpr std::array<Field<CheckpointParams>, 11> kCommon{
    field("to", &CheckpointParams::to, kRequired, "id of the storage system it is written to"),
    field("every", &CheckpointParams::every, kOptional, "time between the starts of two saves",
          kPositive),
    field("every_steps", &CheckpointParams::every_steps, kOptional, "steps between two saves",
          kAtLeastOne),
    field("size", &CheckpointParams::size, kOptional,
          "size of one checkpoint; absent: parameters x bytes per parameter", kPositive),
    field("writers", &CheckpointParams::writers, "all",
          "ranks that write: all (sharded), or rank 0 after a gather", one_of(kWriters)),
    field("files", &CheckpointParams::files, "1", "files per writer", up_to(1e6)),
    field("serializer", &CheckpointParams::serializer, "torch",
          "torch: one CPU pass per writer before the write; none: tensors are written as they lie "
          "in memory",
          one_of(kSerializers)),
    field("serialize", &CheckpointParams::serialize, "1.5 GB/s",
          "what one writer serialises (torch.save with CRC)",
          assumed(kPositive, "1-2 GB/s per core")),
    field("quiesce", &CheckpointParams::quiesce, "0 ms",
          "time to bring all ranks to rest before the snapshot", kNonNegative),
    field("stream", &CheckpointParams::stream, "false",
          "phases overlap piece by piece (as distributed checkpoint writers do); false: one after "
          "the other"),
    field("direct", &CheckpointParams::direct, "false", "write with O_DIRECT")};
constexpr auto kCommonInfos = infos(kCommon);

constexpr std::array<Field<CheckpointParams>, 2> kAsync{
    field("tiers", &CheckpointParams::tiers, kOptional,
          "where a save goes in turn: host-memory, local-nvme, then the storage of `to`"),
    field("buffers", &CheckpointParams::buffers, "1",
          "snapshots that fit in the host memory set aside", up_to(1e6))};
constexpr auto kAsyncInfos = infos(kAsync);

}  // namespace

CheckpointParams checkpoint_params(const Component& component) {
  CheckpointParams p = bind(kCommon, component);
  if (component.find("buffers") != nullptr) {
    const CheckpointParams own = bind(kAsync, component);
    p.tiers = own.tiers;
    p.buffers = own.buffers;
  }
  return p;
}
std::span<const FieldInfo> checkpoint_common_fields() { return kCommonInfos; }
std::span<const FieldInfo> checkpoint_async_fields() { return kAsyncInfos; }
CheckpointStyle sync_style() { return {.blocking = true}; }
CheckpointStyle async_style() { return {.blocking = false}; }

}  // namespace stallcast::models
