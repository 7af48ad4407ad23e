#include "models/dataload/format_costs.hpp"

/// One NumPy archive a sample. The directory stands at the tail, so np.load goes there first (end
/// record, directory), which costs round trips that a stream does not. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr auto kNpzFields = with_costs(
    kScanFields,
    {"4", "dependent requests per file: header, end record, directory, body",
     between("2", "5", cited(kNonNegative, "strace of np.load, 2026-11"),
             "expert range: read-ahead merges header and body, attributes add one")},
    {"3.9 GB/s", "bytes one core takes in per second: CRC-32 and copies",
     between("0.5 GB/s", "5 GB/s", cited(kPositive, kParsingProbe),
             "readers of MLPerf Storage v1.0 take in 0.42 GB/s in all; probes 3-5 GB/s")},
    {"50 us", "fixed CPU time per sample",
     between("30 us", "300 us", assumed(kNonNegative),
             "expert range: opening the archive in Python, per array again")});

}  // namespace

std::span<const FieldInfo> npz_fields() { return kInfos<kNpzFields>; }

SampleAccess npz_access(const Component& component, const DatasetParams& dataset) {
  return bind(kNpzFields, component).access(dataset);
}

}  // namespace stallcast::models
