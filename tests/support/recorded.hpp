#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"
#include "stallcast/timeline.hpp"

namespace stallcast::testing {

/// What happens in `design`, simulated without SimGrid.
[[nodiscard]] Timeline recorded(const Design& design, const TimelineRequest& request = {},
                                std::uint64_t seed = 1);

/// Spans called `name` of tracks of this kind, in the timeline's order.
[[nodiscard]] std::vector<Timeline::Span> spans(const Timeline& timeline, const std::string& kind,
                                                const std::string& name);

/// What a viewer relies on and a reader takes for granted: spans are in order and within the
/// window, those of a track nest, and every span of a track lies within the one of the depth above.
/// Says what is wrong; "" when nothing is.
[[nodiscard]] std::string fault_of(const Timeline& timeline);

}  // namespace stallcast::testing
