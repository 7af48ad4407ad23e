#pragma once

#include <optional>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::gain {

/// `design` with work in place of a duration: as many steps as it makes in it (`as_it_is`), down to
/// whole cycles of steps and a save. None where that is not what its gains hang on: where it ends
/// with its work anyway, saves by time or never, is of several jobs, or fails.
/// [docs/models/blame.md, eq. 1]
[[nodiscard]] std::optional<Design> in_whole_cycles(const Design& design,
                                                    const Prediction& as_it_is);

}  // namespace stallcast::gain
