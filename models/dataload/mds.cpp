#include <cmath>

#include "models/dataload/format_costs.hpp"

/// Shards of MosaicML Streaming: downloaded whole, some samples ahead of need, then read sample by
/// sample from the local copy. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

// Streaming's own rule when nothing is said.  [StreamingDataset: predownload = 8 x batch_size]
constexpr double kBatchesAhead = 8.0;

struct MdsParams : FormatCosts {
  Bytes shard;
  std::optional<std::int64_t> predownload, shuffle_block;
  double ratio = 1.0;
  std::optional<Rate> decompress;
  std::optional<Bytes> cache_limit;
};
constexpr auto kMdsFields = with_costs(
    std::array{
        field("shard", &MdsParams::shard, "64 MiB", "stored size of one shard",
              cited(kPositive, "MDSWriter default size_limit, 2^26 B")),
        field("predownload", &MdsParams::predownload, kOptional,
              "samples a worker downloads ahead; 8 batches when not given", kNonNegative),
        field("shuffle_block", &MdsParams::shuffle_block, kOptional,
              "samples of one worker that are shuffled together, over the shards they lie in "
              "(shuffle_block_size over the workers of a node); none when not given",
              kAtLeastOne),
        field("ratio", &MdsParams::ratio, "1", "bytes in memory per stored byte", kPositive),
        field("decompress", &MdsParams::decompress, kOptional,
              "bytes in memory one core decompresses in a second as a shard arrives", kPositive),
        field("cache_limit", &MdsParams::cache_limit, kOptional,
              "most bytes of shards one host keeps; takes effect with a cache.policy", kPositive)},
    {"1", "dependent requests per shard besides streaming",
     between("1", "2.5", assumed(kNonNegative),
             "expert range: attributes, locks or redirects may take another")},
    {"4 GB/s", "stored bytes one core takes in per second: local read and copies",
     between("1.5 GB/s", "8 GB/s", assumed(kPositive),
             "expert range: a page cache copy is 2-8 GB/s, Python slices it again")},
    {"50 us", "fixed CPU time per sample: seek and read of the local shard",
     between("20 us", "200 us", assumed(kNonNegative),
             "expert range: seek, read and decoding of the columns in Python")});

}  // namespace

std::span<const FieldInfo> mds_fields() { return kInfos<kMdsFields>; }

SampleAccess mds_access(const Component& component, const DatasetParams& dataset) {
  const MdsParams p = bind<kMdsFields>(component);
  const double samples = std::max(1.0, std::floor(p.shard / dataset.sample + 1e-9));
  SampleAccess out = p.access(1.0 / samples);
  out.expansion = p.ratio;
  out.unit = samples;
  if (p.shuffle_block)
    out.block_units = std::max(1.0, std::round(static_cast<double>(*p.shuffle_block) / samples));
  out.ahead = p.predownload ? static_cast<double>(*p.predownload) : 0.0;
  out.ahead_batches = p.predownload ? 0.0 : kBatchesAhead;
  out.keep = p.cache_limit;
  if (p.decompress) out.unpack = *p.decompress / p.ratio;
  return out;
}

}  // namespace stallcast::models
