#include <algorithm>

#include "models/dataload/format_costs.hpp"

/// Many records in one file, read front to back: an open per file, no round trip per record.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct TfrecordParams : FormatCosts {
  std::int64_t samples_per_file = 1;
  Bytes read_ahead;
};
constexpr auto kTfrecordFields =
    with_costs(std::array{field("samples_per_file", &TfrecordParams::samples_per_file, "1",
                                "records in one file", kAtLeastOne),
                          field("read_ahead", &TfrecordParams::read_ahead, "1 MiB",
                                "bytes of the open file that are read ahead while records before "
                                "are parsed (the kernel's read-ahead); 0 B: one after the other",
                                between("128 KiB", "15 MiB", assumed(kNonNegative),
                                        "Linux 128 KiB; clients of network file systems 1-15 MiB, "
                                        "as MLPerf Storage v1.0 tuned them"))},
               {"1", "dependent requests per file besides streaming",
                between("1", "2.5", assumed(kNonNegative),
                        "expert range: attributes, locks or redirects may take another")},
               {"2 GB/s", "bytes one core takes in per second: CRC and protobuf",
                between("0.6 GB/s", "4 GB/s", assumed(kPositive),
                        "expert range: Python readers 0.6, native ones with hardware CRC 4 GB/s")},
               {"10 us", "fixed CPU time per sample",
                between("5 us", "60 us", assumed(kNonNegative),
                        "expert range: native parsing 5 us, Python tens of us")});

}  // namespace

std::span<const FieldInfo> tfrecord_fields() { return kInfos<kTfrecordFields>; }

SampleAccess tfrecord_access(const Component& component, const DatasetParams& dataset) {
  const TfrecordParams p = bind<kTfrecordFields>(component);
  const double samples = static_cast<double>(p.samples_per_file);
  SampleAccess out = p.access(1.0 / samples);
  // The last window of a file is parsed when nothing is left to read.    [formats.md, eq. 15]
  if (p.read_ahead > Bytes{})
    out.parsed_beside = 1.0 - std::min(1.0, p.read_ahead / (dataset.sample * samples));
  return out;
}

}  // namespace stallcast::models
