#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/decide/uncertain/posterior.hpp"
#include "stallcast/calibration_profile.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

/// Runs that were observed, and the profile that a scenario of them gives.
/// docs/models/uncertainty.md, "Given a run".
namespace stallcast::calibration {

/// The figures in a file of an observed run of `design`: a table with the columns `metric` and
/// `value` (and `low` and `high`, or `sd`), JSON with "metrics" as `run --format json` writes them,
/// an observation of the job (stallcast observe), or a summary.json of DLIO. Faults (with line and
/// column) go to `diagnostics`, and so does a file without a figure.
[[nodiscard]] std::vector<ObservedFigure> read_observed(const std::string& text,
                                                        const std::string& file,
                                                        const Design& design,
                                                        Diagnostics& diagnostics);

/// A profile with the joint draws of `posterior`: for inputs that are rates, times and the like as
/// factors on what a design says, for shares and counts in their place. What the profile
/// `made_with` (may be null) measured is in it too, with the draws that are left of it. One that
/// explains nothing has the fit, refused, and neither input nor value.
[[nodiscard]] CalibrationProfile profile_of(const uncertain::Posterior& posterior,
                                            const Design& design, std::string id,
                                            const CalibrationProfile* made_with = nullptr);

}  // namespace stallcast::calibration
