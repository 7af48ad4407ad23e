#pragma once

#include "stallcast/units.hpp"

/// Closed forms of how often to save: first guesses for the search by simulation.
/// docs/models/failures.md, equations 2 and 3. `stall` is what a save costs training,
/// `mtbf` the mean time between failures of the job; both > 0.
namespace stallcast::models {

/// Work between two saves that costs least, to first order. Young, CACM 17(9), 1974.
[[nodiscard]] Seconds young_interval(Seconds stall, Seconds mtbf);

/// The same to higher order; `mtbf` itself when a save takes longer than 2 x `mtbf`.
/// Daly, FGCS 22(3), 2006, equation 37.
[[nodiscard]] Seconds daly_interval(Seconds stall, Seconds mtbf);

}  // namespace stallcast::models
