#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "models/dataload/format.hpp"

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

// The member may be one of the base, so its type is given.
template <class P, class T>
constexpr base::Field<P> cost(std::string_view key, T P::*member, const CostDefault& value) {
  return base::field<P, T>(key, member, value.fallback, value.doc, value.limits);
}

/// `own` fields of a format, then those of all formats.
template <class P, std::size_t N>
constexpr std::array<base::Field<P>, N + 3> with_costs(const std::array<base::Field<P>, N>& own,
                                                       const CostDefault& round_trips,
                                                       const CostDefault& parse,
                                                       const CostDefault& parse_fixed) {
  std::array<base::Field<P>, N + 3> out{};
  std::copy(own.begin(), own.end(), out.begin());
  out[N] = cost<P, double>("round_trips", &P::round_trips, round_trips);
  out[N + 1] = cost<P, Rate>("parse", &P::parse, parse);
  out[N + 2] = cost<P, Seconds>("parse_fixed", &P::parse_fixed, parse_fixed);
  return out;
}

}  // namespace stallcast::models
