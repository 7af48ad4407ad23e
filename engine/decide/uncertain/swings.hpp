#pragma once

#include <cstddef>
#include <vector>

#include "engine/decide/uncertain/draws.hpp"

/// Which assumptions move the answer, where there are too few draws to tell.
namespace stallcast::uncertain {

/// Whether draws say which inputs the figures of `prediction` that are asked for depend on.
[[nodiscard]] bool tells_inputs(const Prediction& prediction);

/// Puts at most `most` inputs of `design` into `prediction` that move its answer, each alone at
/// both ends of what it may be, simulated with one seed: the figure of the target that is decided
/// least, else the utilization of the first job. Nothing is varied where that would take long.
void add_swings(const Design& design, const DrawOptions& options, std::size_t most,
                Prediction& prediction);

}  // namespace stallcast::uncertain
