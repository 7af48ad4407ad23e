#pragma once

#include <optional>
#include <utility>

#include "stallcast/timeline.hpp"
#include "ui/desktop/gantt_data.hpp"

namespace stallcast::desktop {

/// What a simulation recorded, as lanes: of each track what is innermost, so that nothing covers
/// anything.
[[nodiscard]] GanttData lanes_of(const Timeline& recorded);

/// Begin and end of the first save, and of the longest wait; nullopt without one.
using TimeRange = std::pair<double, double>;
[[nodiscard]] std::optional<TimeRange> first_save(const GanttData& lanes);
[[nodiscard]] std::optional<TimeRange> worst_stall(const GanttData& lanes);
/// What is looked at first: both of them with some time around; all where there is neither.
[[nodiscard]] TimeRange notable_range(const GanttData& lanes);
/// The middle of the first save, else of the longest wait, else the begin.
[[nodiscard]] double save_or_stall(const GanttData& lanes);

}  // namespace stallcast::desktop
