#pragma once

#include <vector>

#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"

namespace stallcast::calibration {

/// Leaves runs out of `sets` that another file before has as well, as in two formats of one tool:
/// of the same setting, with every figure that both give the same to the last digit of the coarser.
/// A file has such where half of its runs, or of the other's, are the same and their dates do not
/// say otherwise; a warning says so.                    [docs/calibration.md, "Cells"]
void count_once(std::vector<MeasurementSet>& sets, Diagnostics& faults);

}  // namespace stallcast::calibration
