#pragma once

#include "stallcast/timeline.hpp"
#include "ui/desktop/gantt_data.hpp"

namespace stallcast::desktop {

/// What a simulation recorded, as lanes: of each track what is innermost, so that nothing covers
/// anything.
[[nodiscard]] GanttData lanes_of(const Timeline& recorded);

}  // namespace stallcast::desktop
