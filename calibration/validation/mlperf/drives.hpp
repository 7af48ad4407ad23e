#pragma once

#include <string>

#include "calibration/validation/mlperf/ranges.hpp"
#include "stallcast/units.hpp"

namespace stallcast::calibration::mlperf {

/// What one drive reads, and what of that is sure: as factors of it.
struct DriveRate {
  Rate read;
  double low = 0.9, high = 1.03;
  bool known = true;  ///< by the data sheet of its name; else by what kind of drive it is
};

/// Of the drive that `words` name ("Micron 9550 PRO"), or of its kind ("PCIe 5", "SATA SSD");
/// `usual` where they say no more than that there are drives.
[[nodiscard]] DriveRate drive_in(const std::string& words, Rate usual);

}  // namespace stallcast::calibration::mlperf
