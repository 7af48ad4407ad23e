#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::predict {

/// What to say where the wait for the first batch of a short run is more of its time than what
/// separates a figure from its target: there it is the window that was judged, not the design.
/// Of jobs without a target, where it is a twentieth of the time. REQUIRES: the assertions of
/// `prediction` are judged.    [docs/models/training.md, eq. 9]
[[nodiscard]] std::vector<std::string> start_warnings(const Design& design,
                                                      const Prediction& prediction);

/// What to say where a run ended so long after the last save by steps that a long run, which is
/// made of whole intervals, has another utilization.    [docs/models/whole-run.md, eq. 4]
[[nodiscard]] std::vector<std::string> interval_warnings(const Design& design,
                                                         const Prediction& prediction);

}  // namespace stallcast::predict
