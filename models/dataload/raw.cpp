#include "models/dataload/format_costs.hpp"

/// One file a sample (images as they are): one open, then one pipelined stream.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr auto kRawFields =
    with_costs(kScanFields,
               {"1", "dependent requests per file besides streaming",
                between("1", "2.5", assumed(kNonNegative),
                        "expert range: attributes, locks or redirects may take another")},
               {"15.7 GB/s", "bytes one core takes in per second",
                between("4 GB/s", "20 GB/s", cited(kPositive, kParsingProbe),
                        "expert range: small files, copies and busy memory leave a quarter")},
               {"9 us", "fixed CPU time per sample",
                between("5 us", "60 us", cited(kNonNegative, kParsingProbe),
                        "expert range: objects of the language, paths and checks of a library")});

}  // namespace

std::span<const FieldInfo> raw_fields() { return kInfos<kRawFields>; }

SampleAccess raw_access(const Component& component, const DatasetParams& dataset) {
  return bind<kRawFields>(component).access(dataset);
}

}  // namespace stallcast::models
