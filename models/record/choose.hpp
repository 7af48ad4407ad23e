#pragma once

#include "stallcast/timeline.hpp"

namespace stallcast::models {

/// Of a timeline as it was recorded: finds out how long each rank class waited, keeps the tracks
/// that are wanted and as many spans as are allowed, the earliest, and puts all in order.
void keep_chosen(const TimelineRequest& request, Timeline& timeline);

}  // namespace stallcast::models
