#pragma once

#include <vector>

#include "engine/decide/plan/advice.hpp"
#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::plan {

/// What is set otherwise for the figures that missed targets are of, and for restarts that lose all
/// work: the interval of saves as much shorter as too much work is lost, saves that are read back
/// where they may be bad. One table says which figure asks for which field.
[[nodiscard]] std::vector<Proposal> figure_changes(const Design& design,
                                                   const Prediction& prediction);

}  // namespace stallcast::plan
