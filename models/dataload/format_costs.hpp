#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "models/contract/dataset.hpp"
#include "models/dataload/formats.hpp"

/// The fields every format has; each format gives their defaults and adds its own.
namespace stallcast::models {

/// Parameters of all formats; a format with more derives from it.
struct FormatCosts {
  double round_trips = 1.0;
  Rate parse;
  Seconds parse_fixed;

  /// `files` opened per sample, each read as one range.
  [[nodiscard]] SampleAccess access(double files) const {
    return {.files = files,
            .ranges = files,
            .round_trips = round_trips,
            .parse = parse,
            .parse_fixed = parse_fixed};
  }
};

/// A default with what it means and where it is from.
struct CostDefault {
  std::string_view fallback;
  std::string_view doc;
  base::FieldLimits limits;
};

inline constexpr std::string_view kParsingProbe =
    "own probe, Python 3.11 and NumPy on one server core, 2026-11";
inline constexpr std::string_view kOrders[] = {"sequential", "random"};

/// Parameters of a format with a file for every sample, whose names may be listed first.
struct ScannedCosts : FormatCosts {
  std::string scan;
  std::int64_t scan_names = 1, scan_ahead = 1;

  [[nodiscard]] SampleAccess access(const DatasetParams& dataset) const {
    SampleAccess out = FormatCosts::access(1.0);
    if (scan == "none") return out;
    // [docs/models/formats.md, eq. 10]
    out.listed = std::ceil(dataset.sample_count() / static_cast<double>(scan_names));
    out.stated = scan == "stat" ? dataset.sample_count() : 0.0;
    out.stated_at_once = static_cast<double>(scan_ahead);
    return out;
  }
};
inline constexpr std::string_view kScans[] = {"none", "list", "stat"};
inline constexpr std::array kScanFields{
    base::field("scan", &ScannedCosts::scan, "none",
                "what every rank does before the first batch: list the names of all files, or also "
                "stat each",
                base::one_of(kScans)),
    base::field("scan_names", &ScannedCosts::scan_names, "1000", "names in one reply of a listing",
                base::cited(base::up_to(1e9), "S3 ListObjectsV2: at most 1000 keys")),
    base::field("scan_ahead", &ScannedCosts::scan_ahead, "1",
                "attributes asked for at one time: 32 and more where the client runs ahead (Lustre "
                "statahead)",
                base::up_to(65536))};

/// `own` fields of a format, then those of all formats.
template <class P, std::size_t N>
constexpr std::array<base::Field<P>, N + 3> with_costs(const std::array<base::Field<P>, N>& own,
                                                       const CostDefault& round_trips,
                                                       const CostDefault& parse,
                                                       const CostDefault& parse_fixed) {
  const auto row = [](std::string_view key, auto member, const CostDefault& value) {
    return base::field(key, member, value.fallback, value.doc, value.limits);
  };
  return base::joined<P>(own,
                         std::array{row("round_trips", &FormatCosts::round_trips, round_trips),
                                    row("parse", &FormatCosts::parse, parse),
                                    row("parse_fixed", &FormatCosts::parse_fixed, parse_fixed)});
}

}  // namespace stallcast::models
