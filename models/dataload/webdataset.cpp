#include <cmath>

#include "models/dataload/format_costs.hpp"

/// Tar shards read front to back: an open per shard, no round trip per sample.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct WebdatasetParams : FormatCosts {
  Bytes shard;
  std::optional<Bytes> read_ahead;
};
constexpr auto kWebdatasetFields = with_costs(
    std::array{
        field("shard", &WebdatasetParams::shard, "1 GiB", "size of one tar shard", kPositive),
        field("read_ahead", &WebdatasetParams::read_ahead, kOptional,
              "bytes of the open shard that are fetched ahead, alongside the loading (the "
              "kernel's read-ahead); absent: samples are read when needed",
              kPositive)},
    {"1", "dependent requests per shard besides streaming",
     between("1", "2.5", assumed(kNonNegative),
             "expert range: attributes, locks or redirects may take another")},
    {"2.3 GB/s", "bytes one core takes in per second: tar and Python copies",
     between("1 GB/s", "4 GB/s", cited(kPositive, "own probe: 0.043 ms for 100 kB, 2026-11"),
             "expert range: cores differ by two; pipes and handlers copy again")},
    {"20 us", "fixed CPU time per sample",
     between("15 us", "150 us", assumed(kNonNegative),
             "expert range: tar headers, grouping and handlers in Python")});

}  // namespace

std::span<const FieldInfo> webdataset_fields() { return kInfos<kWebdatasetFields>; }

SampleAccess webdataset_access(const Component& component, const DatasetParams& dataset) {
  const WebdatasetParams p = bind<kWebdatasetFields>(component);
  SampleAccess out = p.access(std::min(1.0, dataset.sample / p.shard));
  if (p.read_ahead) {  // sample by sample    [docs/models/formats.md, eq. 13]
    out.unit = 1.0;
    out.ahead = std::max(1.0, std::floor(*p.read_ahead / dataset.sample));
    out.ahead_in_file = true;
  }
  return out;
}

}  // namespace stallcast::models
