#include "models/dataload/format.hpp"

/// Many records in one file, read front to back: an open per file, no round trip per record.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Params {
  std::int64_t samples_per_file = 1;
  double round_trips = 1.0;
  Rate parse;
  Seconds parse_fixed;
};
constexpr std::array<Field<Params>, 4> kFields{
    field("samples_per_file", &Params::samples_per_file, "1", "records in one file", kAtLeastOne),
    field("round_trips", &Params::round_trips, "1", "dependent requests per file besides streaming",
          assumed(kNonNegative)),
    field("parse", &Params::parse, "2 GB/s", "bytes one core takes in per second: CRC and protobuf",
          assumed(kPositive)),
    field("parse_fixed", &Params::parse_fixed, "10 us", "fixed CPU time per sample",
          assumed(kNonNegative))};
constexpr auto kInfos = infos(kFields);

}  // namespace

std::span<const FieldInfo> tfrecord_fields() { return kInfos; }

SampleAccess tfrecord_access(const Component& component, const DatasetParams& dataset) {
  const Params p = bind(kFields, component);
  (void)dataset;
  return {.files = 1.0 / static_cast<double>(p.samples_per_file),
          .round_trips = p.round_trips,
          .parse = p.parse,
          .parse_fixed = p.parse_fixed};
}

}  // namespace stallcast::models
