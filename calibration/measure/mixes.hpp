#pragma once

#include <cstddef>
#include <vector>

#include "stallcast/measurement.hpp"

/// Reads and writes at one time. Probes make one record of a run ("mixed"); tools tell the two ways
/// apart, and importers make a record of each that share depth and share of reads, reads first.
namespace stallcast::calibration {

/// The other way of the run of record `i`; nullptr where it has none.
[[nodiscard]] inline const Measurement* other_half(const std::vector<Measurement>& all,
                                                   std::size_t i) {
  const auto halves = [&](std::size_t reads, std::size_t writes) {
    return writes < all.size() && all[reads].is_mix() && all[reads].operation == "read" &&
           all[writes].operation == "write" && all[reads].depth == all[writes].depth &&
           all[reads].read_share == all[writes].read_share;
  };
  if (halves(i, i + 1)) return &all[i + 1];
  return i > 0 && halves(i - 1, i) ? &all[i - 1] : nullptr;
}

}  // namespace stallcast::calibration
