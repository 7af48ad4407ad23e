#pragma once

#include <string>

#include "calibration/validation/sources/source.hpp"

namespace stallcast::calibration {

/// A ground-truth grid of a data loader: rows of configurations, predicted from the probe files of
/// `options.probes` and the input columns.                      [docs/calibration-grid.md]
[[nodiscard]] Result<RowValidation> predict_groundtruth(const std::string& text,
                                                        const std::string& file,
                                                        const SourceOptions& options,
                                                        Diagnostics& diagnostics);

}  // namespace stallcast::calibration
