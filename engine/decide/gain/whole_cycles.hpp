#pragma once

#include <optional>

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"

namespace stallcast::gain {

/// Makes trials of `design` replay no more than so many histories, of whole runs as many in each
/// trial, however long they are in it: what is compared met the same failures. `as_it_is` is its
/// prediction.    [docs/models/blame.md, eq. 2]
void replay_the_same(Design& design, const Prediction& as_it_is, double most);

/// `design` with work in place of a duration: as many steps as it makes in it (`as_it_is`), down to
/// whole cycles of steps and a save. None where that is not what its gains hang on: where it ends
/// with its work anyway, saves by time or never, is of several jobs, or fails.
/// [docs/models/blame.md, eq. 1]
[[nodiscard]] std::optional<Design> in_whole_cycles(const Design& design,
                                                    const Prediction& as_it_is);

}  // namespace stallcast::gain
