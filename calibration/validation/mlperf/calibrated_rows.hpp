#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/validation/mlperf/simulated.hpp"
#include "stallcast/result.hpp"

/// Rows that calibrate others: each is simulated once, however many it calibrates.
namespace stallcast::calibration::mlperf {

/// A row of which something was measured, or may have been.
struct MeasuredRow {
  std::string id;
  std::string family;  ///< rows of one run the same program: "unet3d"
  base::Json scenario;
  std::vector<ObservedFigure> observed;  ///< empty: nothing was measured
  std::vector<NarrowedInput> seen;       ///< inputs that the results give without a simulation
  std::string lacks = "results";         ///< that calibrate, where there are none
};

class CalibratedRows {
 public:
  CalibratedRows(RowSimulator& simulator, std::vector<MeasuredRow> rows);

  /// What the row `from` says of rows of `family`: of another family than its own what is not the
  /// program's (hosts, network, storage). Without inputs where it says nothing; then the reason is
  /// added to `notes`, and so is what else its draws cannot do.
  [[nodiscard]] Result<Calibrated> said_by(const std::string& from, const std::string& family,
                                           std::vector<std::string>& notes);

 private:
  RowSimulator& simulator_;
  std::map<std::string, MeasuredRow> rows_;
  std::map<std::string, Calibrated> made_;
};

}  // namespace stallcast::calibration::mlperf
