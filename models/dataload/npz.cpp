#include "models/dataload/format.hpp"

/// One NumPy archive a sample. The directory stands at the tail, so np.load goes there first (end
/// record, directory), which costs round trips that a stream does not. docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Params {
  double round_trips = 1.0;
  Rate parse;
  Seconds parse_fixed;
};
constexpr std::array<Field<Params>, 3> kFields{
    field("round_trips", &Params::round_trips, "4",
          "dependent requests per file: header, end record, directory, body",
          cited(kNonNegative, "strace of np.load, 2026-11")),
    field("parse", &Params::parse, "3.9 GB/s",
          "bytes one core takes in per second: CRC-32 and copies",
          cited(kPositive, "own probe, Python 3.11 and NumPy on one server core, 2026-11")),
    field("parse_fixed", &Params::parse_fixed, "50 us", "fixed CPU time per sample",
          assumed(kNonNegative))};
constexpr auto kInfos = infos(kFields);

}  // namespace

std::span<const FieldInfo> npz_fields() { return kInfos; }

SampleAccess npz_access(const Component& component, const DatasetParams& dataset) {
  const Params p = bind(kFields, component);
  (void)dataset;
  return {
      .files = 1.0, .round_trips = p.round_trips, .parse = p.parse, .parse_fixed = p.parse_fixed};
}

}  // namespace stallcast::models
