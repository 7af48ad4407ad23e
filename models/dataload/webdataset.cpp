#include "models/dataload/format.hpp"

#include <algorithm>

/// Tar shards read front to back: an open per shard, no round trip per sample.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Params {
  Bytes shard;
  double round_trips = 1.0;
  Rate parse;
  Seconds parse_fixed;
};
constexpr std::array<Field<Params>, 4> kFields{
    field("shard", &Params::shard, "1 GiB", "size of one tar shard", kPositive),
    field("round_trips", &Params::round_trips, "1",
          "dependent requests per shard besides streaming", assumed(kNonNegative)),
    field("parse", &Params::parse, "2.3 GB/s",
          "bytes one core takes in per second: tar and Python copies",
          cited(kPositive, "own probe: 0.043 ms for 100 kB, 2026-11")),
    field("parse_fixed", &Params::parse_fixed, "20 us", "fixed CPU time per sample",
          assumed(kNonNegative))};
constexpr auto kInfos = infos(kFields);

}  // namespace

std::span<const FieldInfo> webdataset_fields() { return kInfos; }

SampleAccess webdataset_access(const Component& component, const DatasetParams& dataset) {
  const Params p = bind(kFields, component);
  return {.files = std::min(1.0, dataset.sample / p.shard),
          .round_trips = p.round_trips,
          .parse = p.parse,
          .parse_fixed = p.parse_fixed};
}

}  // namespace stallcast::models
