#include "models/dataload/format_costs.hpp"

/// One file a sample (images as they are): one open, then one pipelined stream.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr auto kRawFields = with_costs(
    kScanFields, {"1", "dependent requests per file besides streaming", assumed(kNonNegative)},
    {"15.7 GB/s", "bytes one core takes in per second", cited(kPositive, kParsingProbe)},
    {"9 us", "fixed CPU time per sample", cited(kNonNegative, kParsingProbe)});

}  // namespace

std::span<const FieldInfo> raw_fields() { return kInfos<kRawFields>; }

SampleAccess raw_access(const Component& component, const DatasetParams& dataset) {
  return bind(kRawFields, component).access(dataset);
}

}  // namespace stallcast::models
