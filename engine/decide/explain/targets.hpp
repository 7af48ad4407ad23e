#pragma once

#include <optional>

#include "engine/decide/explain/forms.hpp"
#include "stallcast/design.hpp"
#include "stallcast/explanation.hpp"

/// What a target asks of the storage, without simulating.
namespace stallcast::explain {

/// How many OSTs (servers, ...) a limit on the cost of blocking saves takes at the least: from the
/// time of a save that the limit allows. None for other targets, and where there is no interval.
///     save / (interval + save) = limit    [docs/models/bounds.md, eq. 2]
[[nodiscard]] std::optional<ExplainNode> target_tree(const Expectation& expectation, Forms& forms);

}  // namespace stallcast::explain
