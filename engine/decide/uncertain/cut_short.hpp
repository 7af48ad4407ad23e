#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/decide/uncertain/particles.hpp"
#include "stallcast/result.hpp"

namespace stallcast::uncertain {

/// Draws of an observed design that ended before `why`, its time limit or an interrupt, came: what
/// they say of what was observed, in `units`, and that they make no posterior, as those that take
/// long are missing. `effective`: so many independent ones they are worth.
[[nodiscard]] Failure cut_short(const Failure& why, std::span<const ObservedFigure> observed,
                                std::span<const std::string> units,
                                const std::vector<Particle>& ended, double effective);

}  // namespace stallcast::uncertain
