#include "models/dataload/format_costs.hpp"

/// One NumPy archive a sample. The directory stands at the tail, so np.load goes there first (end
/// record, directory), which costs round trips that a stream does not. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr auto kNpzFields =
    with_costs(kScanFields,
               {"4", "dependent requests per file: header, end record, directory, body",
                cited(kNonNegative, "strace of np.load, 2026-11")},
               {"3.9 GB/s", "bytes one core takes in per second: CRC-32 and copies",
                cited(kPositive, kParsingProbe)},
               {"50 us", "fixed CPU time per sample", assumed(kNonNegative)});

}  // namespace

std::span<const FieldInfo> npz_fields() { return kInfos<kNpzFields>; }

SampleAccess npz_access(const Component& component, const DatasetParams& dataset) {
  return bind(kNpzFields, component).access(dataset);
}

}  // namespace stallcast::models
