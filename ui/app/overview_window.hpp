#pragma once

#include "stallcast/design.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/timeline.hpp"

namespace stallcast::client {

/// The part of a run that a page shows: two saves where there are any, else a minute, but no more
/// steps than a picture can tell apart. Where those end before a save is due, they are the steps
/// around the first one.
[[nodiscard]] TimelineRequest overview_window(const Design& design, const Prediction& prediction);

/// Ends the window where its lanes end, so that resources are shown for the same time as ranks.
void end_with_lanes(Timeline& timeline);

}  // namespace stallcast::client
