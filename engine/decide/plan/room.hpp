#pragma once

#include "models/bounds/space.hpp"
#include "stallcast/prediction.hpp"

/// How much room targets ask for.
namespace stallcast::plan {

/// Room that what the targets of `prediction` miss asks for, besides all that `space` is to hold:
/// of limits on what is used and on headroom, until a date at which it is full; where a target asks
/// for a confidence, with what the room may turn out to be less.    [docs/models/capacity.md, eq.
/// 5]
[[nodiscard]] Bytes asked_beyond(const models::Room& space, const Prediction& prediction);

}  // namespace stallcast::plan
