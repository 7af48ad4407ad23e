#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/fit/observed.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/measurement.hpp"
#include "stallcast/observation.hpp"

/// Figures of runs that were seen, as those of the only job of a design.
namespace stallcast::calibration {

/// By the unit of the metric; nothing where its name does not tell.
[[nodiscard]] std::optional<Dimension> dimension_of(const std::string& metric);

/// Where nine in ten repeats of a run lie that does not say. `said`: how the figure was given,
/// where the table does not know its metric.
[[nodiscard]] Interval as_repeated(const std::string& metric, double value,
                                   std::optional<Dimension> said = std::nullopt);

/// The figures of an observed job that the only job of `design` has, too; each with its own error.
/// A fault, and none, where it ran with another number of accelerators or readers.
[[nodiscard]] std::vector<ObservedFigure> seen_of_job(const Observation& seen,
                                                      const std::string& file, const Design& design,
                                                      Diagnostics& diagnostics);

/// Utilization, saves and loads of a summary of DLIO. A fault, and none, where it ran with another
/// number of accelerators.
[[nodiscard]] std::vector<ObservedFigure> seen_of_summary(const MeasurementSet& set,
                                                          const std::string& file,
                                                          const Design& design,
                                                          Diagnostics& diagnostics);

}  // namespace stallcast::calibration
