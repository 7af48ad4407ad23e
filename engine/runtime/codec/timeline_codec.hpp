#pragma once

#include <string>
#include <string_view>

#include "engine/runtime/codec/json_parts.hpp"
#include "stallcast/result.hpp"
#include "stallcast/timeline.hpp"

/// Timelines, as part of what a worker is asked and answers; otherwise as in codec.hpp.
namespace stallcast::codec {

/// Spans are one array, eight numbers each: hundreds of thousands are usual.
[[nodiscard]] std::string encode(const Timeline& timeline);
[[nodiscard]] Result<Timeline> decode_timeline(std::string_view json);

/// Private to engine/runtime/codec.
namespace detail {

[[nodiscard]] std::string encode(const TimelineRequest& request);
/// bad_input when it is none, or asks for what cannot be: an empty window, no bins.
[[nodiscard]] Result<TimelineRequest> timeline_request_of(const Json& json);

[[nodiscard]] Result<Timeline> timeline_of(const Json& json);

}  // namespace detail
}  // namespace stallcast::codec
