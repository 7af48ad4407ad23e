#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/decide/predict/predict.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/result.hpp"
#include "stallcast/row_validation.hpp"

/// Tables of measurements of others, predicted row by row: `stallcast validate --from ID FILE`.
namespace stallcast::calibration {

struct SourceOptions {
  std::string probes;               ///< folder of probe files to calibrate from; "" where not given
  predict::PredictOptions predict;  ///< of the simulations
  std::size_t draws = 0;            ///< of a row; 0: the layout's own number
  bool sheets_only = false;         ///< no row calibrates another
  std::string scenarios;            ///< folder for the scenarios of rows; "" where nobody asks
};

/// One row of the table of sources: to add a layout, its .cpp and its row in sources.cpp.
struct RowLayout {
  std::string_view id;       ///< "mlperf-csv"
  std::string_view summary;  ///< one line
  bool needs_probes = false;
  /// Reads `text` and predicts every row, whether or not its measured columns are filled in. Faults
  /// of the table (with line and column) go to `diagnostics`; then the failure is bad_input.
  Result<RowValidation> (*predict)(const std::string& text, const std::string& file,
                                   const SourceOptions& options, Diagnostics& diagnostics);
};

/// Sorted by id.
[[nodiscard]] std::span<const RowLayout> sources();
/// nullptr when there is no such layout.
[[nodiscard]] const RowLayout* find_source(std::string_view id);

}  // namespace stallcast::calibration
