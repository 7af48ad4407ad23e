#include "models/dataload/format.hpp"

/// One file a sample (images as they are): one open, then one pipelined stream.
/// docs/models/formats.md.
namespace stallcast::models {
namespace {

using namespace base;

struct Params {
  double round_trips = 1.0;
  Rate parse;
  Seconds parse_fixed;
};
constexpr std::array<Field<Params>, 3> kFields{
    field("round_trips", &Params::round_trips, "1", "dependent requests per file besides streaming",
          assumed(kNonNegative)),
    field("parse", &Params::parse, "15.7 GB/s", "bytes one core takes in per second",
          cited(kPositive, "own probe, Python 3.11 and NumPy on one server core, 2026-11")),
    field("parse_fixed", &Params::parse_fixed, "9 us", "fixed CPU time per sample",
          cited(kNonNegative, "own probe, Python 3.11 and NumPy on one server core, 2026-11"))};
constexpr auto kInfos = infos(kFields);

}  // namespace

std::span<const FieldInfo> raw_fields() { return kInfos; }

SampleAccess raw_access(const Component& component, const DatasetParams& dataset) {
  const Params p = bind(kFields, component);
  (void)dataset;
  return {
      .files = 1.0, .round_trips = p.round_trips, .parse = p.parse, .parse_fixed = p.parse_fixed};
}

}  // namespace stallcast::models
