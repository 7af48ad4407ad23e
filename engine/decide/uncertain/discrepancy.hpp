#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::uncertain {

/// Half of the interval that holds nine in ten of what no input explains, for a metric of this
/// name, on the error scale: as the logarithm of the odds for utilizations, of a factor for times
/// and rates (docs/models/uncertainty.md, table 1); 0 where there is no case of its class. Of
/// utilization where nothing is read or readers were measured: what an observed run is off by.
[[nodiscard]] double discrepancy_of(std::string_view metric);
/// The same for a metric of `design`: of utilization by who reads, where that was not measured and
/// steps wait for it in half of `predictions`, and in proportion to what is lost to it; of step
/// times, throughput and the time of the run that of the utilization they follow from. Its job may
/// say otherwise (`discrepancy.step` and the like: what its own observation gave).
[[nodiscard]] double discrepancy_of(std::string_view metric, const Design& design,
                                    std::span<const Prediction> predictions);
/// What it would be with a profile of the loader, where that is a tenth less; else the same.
[[nodiscard]] double probed_discrepancy_of(std::string_view metric, const Design& design,
                                           std::span<const Prediction> predictions);

/// Of a time that is a part of the run's, where the clock ends that: the time of the run, of which
/// it is spread by the odds as the share is that says the same.
[[nodiscard]] std::optional<double> whole_of(std::string_view metric, const Design& design,
                                             std::span<const Prediction> predictions);

/// Whether a job's figure of this name ("au", "steady.step.time") says what its utilization is.
[[nodiscard]] bool tells_use(std::string_view figure);

/// What a figure of `design` has what it is off by, and the luck of histories, from: a name that is
/// the same for all that follow from one number, as goodput and the time of a whole run do. Its own
/// name where it follows from nothing else.    [docs/models/uncertainty.md, eq. 5b]
[[nodiscard]] std::string source_of(std::string_view metric, const Design& design);

}  // namespace stallcast::uncertain
