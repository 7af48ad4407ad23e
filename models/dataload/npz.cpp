#include "models/dataload/format_costs.hpp"

/// One NumPy archive a sample. The directory stands at the tail, so np.load goes there first (end
/// record, directory), which costs round trips that a stream does not. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct NpzParams : ScannedCosts {
  Rate stream;
};
constexpr auto kNpzFields = with_costs(
    joined<NpzParams>(
        kScanFields,
        std::array{field("stream", &NpzParams::stream, "1.3 GB/s",
                         "most one reader takes in from storage while it waits: np.load asks for "
                         "256 KiB at a time, and parses in between",
                         between("0.6 GB/s", "4 GB/s",
                                 cited(kPositive, "31 unet3d runs of MLPerf Storage v1.0 fit best"),
                                 "as cited 0.5-2.1 GB/s; read-ahead of fast clients 4 GB/s"))}),
    {"4", "dependent requests per file: header, end record, directory, body",
     between("2", "5", cited(kNonNegative, "strace of np.load, 2026-11"),
             "expert range: read-ahead merges header and body, attributes add one")},
    {"3.9 GB/s", "bytes one core takes in per second: CRC-32 and copies",
     between("0.5 GB/s", "5 GB/s", cited(kPositive, kParsingProbe),
             "readers of DLIO in MLPerf Storage v1.0 0.8 GB/s; probes 3-5 GB/s")},
    {"50 us", "fixed CPU time per sample",
     between("30 us", "300 us", assumed(kNonNegative),
             "expert range: opening the archive in Python, per array again")});

}  // namespace

std::span<const FieldInfo> npz_fields() { return kInfos<kNpzFields>; }

SampleAccess npz_access(const Component& component, const DatasetParams& dataset) {
  const NpzParams p = bind<kNpzFields>(component);
  SampleAccess out = p.access(dataset);
  out.stream = p.stream;
  return out;
}

}  // namespace stallcast::models
